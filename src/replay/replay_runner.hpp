#pragma once
#include <span>

#include "core/trial_runner.hpp"
#include "measure/clock.hpp"
#include "replay/replayed_machine.hpp"

namespace feedtune {

/// Trials answered by a machine that isn't there, on a clock that only their cost moves. For one thread.
class ReplayRunner final : public TrialRunner {
 public:
  /// `machine` outlives the runner. `start`: simulated time when it begins; for a run that is resumed, where its recorded
  /// trials end (simulated_time_after()), so that what follows is as in one that was never interrupted.
  explicit ReplayRunner(const ReplayedMachine& machine, Nanoseconds start = {}) : machine_(machine), clock_(start) {}

  TrialResult run(const TrialRequest& request, const OnProgress& on_progress) override;
  double now_s() const override { return to_s(clock_.now()); }

 private:
  const ReplayedMachine& machine_;
  ManualClock clock_;
};

/// What the clock of a replay shows after these trials.
Nanoseconds simulated_time_after(std::span<const TrialResult> trials);

}  // namespace feedtune
