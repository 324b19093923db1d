#pragma once
// A machine that isn't there: what it would have answered a trial. Either a recorded one or a made-up one.

#include <optional>

#include "core/configuration.hpp"
#include "core/trial.hpp"

namespace feedtune {

class ReplayedMachine {
 public:
  virtual ~ReplayedMachine() = default;
  /// One trial with the machine's noise: status and reason, images_per_s with its interval where it is ok, cost_s (what
  /// the trial takes from the sweep), and what else the machine knows. `now_s` is the simulated time at its start. A
  /// configuration or a purpose that it has nothing about is `unsupported`. A function of the machine's seed, of request.id
  /// and of `now_s`, so that a resumed sweep meets the noise of an uninterrupted one.
  virtual TrialResult answer(const TrialRequest& request, double now_s) const = 0;
  /// Images/s without noise: what a strategy's choice is judged by. Absent: it cannot run, or nothing is known of it.
  virtual std::optional<double> true_images_per_s(const Configuration& configuration) const = 0;
};

}  // namespace feedtune
