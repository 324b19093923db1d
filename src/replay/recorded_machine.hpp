#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/interval.hpp"
#include "replay/recorded_grid.hpp"
#include "replay/replayed_machine.hpp"
#include "replay/seeded_draw.hpp"

namespace feedtune {

/// Answers trials from a recorded grid, by a bootstrap of its runs. A trial is one of its configuration's runs, drawn with
/// equal chances (so a status comes as often as it was recorded), with that run's cost, phases and memory; how long the
/// request asks it to measure changes nothing. What was not recorded is `unsupported` and costs nothing.
///
/// Images/s: of n runs that are ok, the drawn run's distance from their geometric mean is stretched by sqrt(n / (n - 1)),
/// since n values scatter less about their own mean than about the truth. A configuration with one such run draws one of the
/// repeated configurations' distances instead (a summary of them would not do: where the step binds most are 0 and a few are
/// not); where nothing was repeated, a normal one on the logarithm, as wide as the middle run's own interval. Interval: the circular block bootstrap of the
/// run's step times where it has them, else the recorded one.
///
/// A function of seed and request.id. Safe from many threads.
class RecordedMachine final : public ReplayedMachine {
 public:
  RecordedMachine(RecordedGrid grid, std::uint64_t seed);
  /// The same grid, shared, with noise of another seed.
  RecordedMachine with_seed(std::uint64_t seed) const;

  TrialResult answer(const TrialRequest& request, double now_s) const override;
  std::optional<double> true_images_per_s(const Configuration& configuration) const override;

  const RecordedGrid& grid() const { return recorded_->grid; }
  /// What a reader of the replay has to know of its noise.
  const std::string& noise_note() const { return recorded_->noise_note; }

 private:
  /// What a recorded run's images/s become, and their interval as shares of them.
  struct Rate {
    double centre_log = 0;    ///< of the configuration
    double distance_log = 0;  ///< of this run, stretched
    bool alone = false;       ///< the only run of its configuration: its distance is another's
    Interval relative{1, 1, 1, 1};
  };
  struct Recorded {
    RecordedGrid grid;
    std::string noise_note{};
    std::map<const TrialResult*, Rate> rates{};  ///< of the grid's runs that are ok; looked up, never walked
    std::vector<double> distances_log{};         ///< of every run of the repeated configurations
    double own_scatter = 0;                      ///< standard deviation of a run by its own interval, the middle one

    double noise_of(const Rate& rate, SeededDraw& random) const;

    void set_rates(const std::vector<TrialResult>& runs);
    void set_scatter();
  };

  std::shared_ptr<const Recorded> recorded_;
  std::uint64_t seed_;
};

}  // namespace feedtune
