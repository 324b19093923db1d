#pragma once
#include "core/trial_runner.hpp"
#include "measure/clock.hpp"
#include "replay/replayed_machine.hpp"

namespace feedtune {

/// Trials answered by a machine that isn't there, on a clock that only their cost moves. For one thread.
class ReplayRunner final : public TrialRunner {
 public:
  /// `machine` outlives the runner.
  explicit ReplayRunner(const ReplayedMachine& machine) : machine_(machine) {}

  TrialResult run(const TrialRequest& request, const OnProgress& on_progress) override;
  double now_s() const override { return to_s(clock_.now()); }

 private:
  const ReplayedMachine& machine_;
  ManualClock clock_;
};

}  // namespace feedtune
