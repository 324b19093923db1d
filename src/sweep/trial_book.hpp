#pragma once
// Measures one trial at a time and writes it down: numbers, costs, journal, status; or takes it from the journal of the
// run that is being resumed.

#include <cstddef>
#include <optional>
#include <string>

#include "sweep/spending.hpp"
#include "sweep/sweep.hpp"

namespace feedtune {

class TrialBook {
 public:
  /// All outlive the book; `recorded` may be null.
  TrialBook(const SweepPlan& plan, TrialRunner& runner, const SweepHooks& hooks, const Run* recorded);

  void start_stage(const std::string& stage, std::optional<int> planned);
  /// The current stage may start another trial: within budget, and not stopped.
  bool may_go_on() const { return stopped_.empty() && spending_.allows(status_.stage); }
  /// Applies the configuration to `base` and runs the trial in the current stage. Absent: stopped().
  /// Throws InputError when the journal holds another trial in this place.
  std::optional<TrialResult> measure(TrialRequest request, const TrialSetup& base);
  /// Keeps a note, unless the resumed run has it already.
  void note(const std::string& kind, const std::string& text);

  const Run& run() const { return run_; }
  const Spending& spending() const { return spending_; }
  bool stopped() const { return !stopped_.empty(); }
  /// Why, and how to go on; empty while it may.
  const std::string& stopped_because() const { return stopped_; }
  /// Ends the book.
  Run take();

 private:
  bool replaying() const { return recorded_ != nullptr && replayed_ < recorded_->trials.size(); }
  TrialResult replay(const TrialRequest& request);
  std::optional<TrialResult> run_live(const TrialRequest& request);
  void keep(const TrialResult& result);
  /// Once a run: a trial that was to begin with warm data did not, or nobody knows.
  void note_if_not_warm(const TrialRequest& request, const TrialResult& result);

  TrialRunner& runner_;
  const SweepHooks& hooks_;
  const Run* recorded_;
  std::size_t replayed_ = 0;
  Run run_;
  bool recorded_space_;
  Spending spending_;
  SweepStatus status_;
  std::int64_t last_id_ = 0;
  double mark_s_;  ///< end of the trial before, by the runner's clock
  std::string stopped_;
};

}  // namespace feedtune
