#pragma once
// What a made-up machine gives without noise.

#include <cstdint>
#include <optional>

#include "core/configuration.hpp"
#include "core/enums.hpp"
#include "core/trial_status.hpp"
#include "replay/synthetic_parameters.hpp"

namespace feedtune {

class SyntheticSurface {
 public:
  SyntheticSurface(const SyntheticParameters& parameters, std::uint64_t seed) : p_(parameters), seed_(seed) {}

  /// The whole pipeline. Says nothing of memory: runs_out() does.
  double images_per_s(const Configuration& configuration) const;
  /// Each part alone, as a component trial has it.
  double loader_images_per_s(const Configuration& configuration) const;
  double step_s(const Configuration& configuration) const;
  /// While workers load: longer where the step runs on their cores.
  double running_step_s(const Configuration& configuration) const;
  double copy_s(const Configuration& configuration) const;
  /// Seconds that one worker computes on an image when it has the machine for itself: decoding, then the rest.
  double decode_s(const Configuration& configuration) const;
  double transform_s(const Configuration& configuration) const;

  std::int64_t device_bytes(const Configuration& configuration) const;
  /// Of all batch slots.
  std::int64_t buffer_bytes(const Configuration& configuration) const;
  std::optional<MemoryKind> runs_out(const Configuration& configuration) const;

 private:
  double loading_rate(const Configuration& configuration, double cores_taken) const;
  double pair_effects(const Configuration& configuration) const;

  SyntheticParameters p_;
  std::uint64_t seed_;
};

}  // namespace feedtune
