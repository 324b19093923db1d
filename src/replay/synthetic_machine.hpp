#pragma once
// A made-up machine: what a search is tested on. It shares the predictor's skeleton (workers, copy, step) and has much
// that the predictor does not know: turbo, cache, tiles, soft bounds, pairs of settings, irregularity.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/run.hpp"
#include "replay/replayed_machine.hpp"
#include "replay/synthetic_family.hpp"
#include "replay/synthetic_noise.hpp"
#include "replay/synthetic_surface.hpp"

namespace feedtune {

struct SyntheticOptions {
  SyntheticFamily family = SyntheticFamily::mixed;
  SyntheticNoise noise{};
  bool small = false;  ///< about 150 configurations instead of 1,000 and more
};

/// Safe from many threads: nothing changes after construction.
class SyntheticMachine final : public ReplayedMachine {
 public:
  /// Machines of one seed and family are the same whatever the noise.
  SyntheticMachine(std::uint64_t seed, const SyntheticOptions& options);

  TrialResult answer(const TrialRequest& request, double now_s) const override;
  /// The long-run mean of what trials of it give.
  std::optional<double> true_images_per_s(const Configuration& configuration) const override;

  /// What a sweep here searches: to be given to build_space().
  const std::map<std::string, std::vector<AxisValue>>& axes() const { return axes_; }
  /// Fills in what a sweep here knows before its first trial: CPUs, memory, device, data.
  void describe(Run& header) const;
  double effective_cpus() const { return parameters_.effective_cpus; }
  double physical_cores() const { return parameters_.physical_cores; }
  /// What the model's own memory law says; absent on a third of the machines, as with a user's own step.
  std::optional<std::uint64_t> planned_device_bytes(const Configuration& configuration) const;

 private:
  void answer_trial(const TrialRequest& request, double factor, TrialResult& result) const;
  void answer_loader(const TrialRequest& request, double factor, TrialResult& result) const;
  void answer_step(const TrialRequest& request, double factor, TrialResult& result) const;
  void answer_copy(const TrialRequest& request, double factor, TrialResult& result) const;
  /// Throughput with the interval that the trial itself sees; measured time and cost.
  void measure(const TrialRequest& request, double images_per_s, std::int64_t least_steps, TrialResult& result) const;
  double start_up_s(const Configuration& configuration) const;
  /// Of the training thread and, where the step runs on the cores, of its own threads.
  double step_cpu_s_per_image(const Configuration& configuration) const;

  std::uint64_t seed_;
  SyntheticNoise noise_;
  SyntheticParameters parameters_;
  std::map<std::string, std::vector<AxisValue>> axes_;
  SyntheticSurface surface_;
  double worker_start_s_;
  bool memory_law_known_;
};

}  // namespace feedtune
