#pragma once
// The only loop: ask -> run -> tell. Stages in order: components (ceilings), anchors, explore (the strategy), confirm
// (finalists again, interleaved). Every result is handed to the sink before the next trial starts.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/run.hpp"
#include "core/trial_runner.hpp"
#include "search/strategy.hpp"
#include "space/space.hpp"

namespace feedtune {

/// A fixed configuration that every machine measures on data of its own.
struct AnchorTrial {
  Configuration configuration;
  TrialSetup base;  ///< the configuration is applied to it
  TrialTarget target;
};

struct SweepPlan {
  Run header;        ///< spec and facts; no trials, no notes
  SearchSpace space;
  TrialSetup base;   ///< data, device, model; configurations are applied to it
  std::vector<AnchorTrial> anchors;
  /// What finds out what each part alone can give; absent: component_requests().
  std::optional<std::vector<TrialRequest>> components{};
  std::vector<RunNote> notes{};  ///< that the run begins with
  int most_confirm_blocks = 100;
  std::optional<StrategyEntry> strategy{};  ///< in place of the registered one that the spec names: baselines of benches and tests
};

/// Where a sweep stands, for progress lines.
struct SweepStatus {
  std::string stage;
  int done = 0;                ///< trials finished in this stage
  std::optional<int> planned;  ///< in this stage; absent where what is measured decides
  std::int64_t trials = 0;     ///< that count against a budget of trials
  double spent_s = 0;          ///< that count against a budget of seconds
  Budget budget;
};

/// Keeps results. An exception ends the sweep.
class SweepSink {
 public:
  virtual ~SweepSink() = default;
  /// Returns when the record is on the disk.
  virtual void append(const TrialResult& trial) = 0;
  virtual void append(const RunNote& note) = 0;
};

/// Told what goes on, on the sweep's thread. On resume, trials taken from the journal are only `finished`.
class SweepObserver {
 public:
  virtual ~SweepObserver() = default;
  /// `so_far` has all earlier stages: with "explore", the ceilings can be shown.
  virtual void stage_started(const SweepStatus&, const Run& /*so_far*/) {}
  virtual void trial_started(const TrialRequest&, const SweepStatus&) {}
  virtual void trial_progress(const TrialRequest&, const TrialProgress&, const SweepStatus&) {}
  virtual void trial_finished(const TrialResult&, const SweepStatus&) {}
  virtual void noted(const RunNote&) {}
};

struct SweepHooks {
  /// The next confirmation block, most wanted first; empty: decided. Ties are analyze's business, so cli binds its
  /// next_to_confirm() here. Without it nothing is confirmed.
  std::function<std::vector<Configuration>(const Run&)> next_to_confirm{};
  /// True from the moment the user wants to stop. The runner has to see it too and give up its trial soon, with
  /// stop_reason "interrupted"; such a trial is not recorded.
  std::function<bool()> stop_requested{};
  SweepSink* sink = nullptr;
  SweepObserver* observer = nullptr;
};

/// Runs the plan to its end, its budget's end or the user's stop (then `complete` is false). A failed trial is recorded
/// and the sweep goes on. Budgets: `trials` counts explore and confirm exactly; `seconds` (by the runner's clock) counts
/// everything but anchors and is overrun by one trial at most; about a third of either is kept for confirmation.
///
/// `recorded`: a run to go on with. Its trials are told to the strategy instead of being measured again, so an
/// interrupted and resumed run measures the same set of trials as an uninterrupted one. Throws InputError where they
/// aren't what this plan would have measured (see check_resumable() for the spec).
///
/// Throws SpecError for an empty space, an unknown strategy or a `current` that cannot be, before the first trial; else
/// only what the sink throws.
Run run_sweep(const SweepPlan& plan, TrialRunner& runner, const SweepHooks& hooks, const Run* recorded = nullptr);

}  // namespace feedtune
