#pragma once
// Runs each trial in a child process, so that one that crashes, hangs or runs out of memory is a status and the sweep
// goes on.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/trial_runner.hpp"
#include "measure/clock.hpp"
#include "process/child.hpp"

namespace feedtune {

class ProcessRunner final : public TrialRunner {
 public:
  struct Options {
    std::vector<std::string> command;  ///< [0] the program's path; it must speak the messages of json/child_message.hpp
    std::vector<std::string> environment;
    std::function<bool()> stop;  ///< true: give up the running trial within a tenth of a second; may be empty
    /// Processes killed for lack of memory so far (machine/oom_kills); tests count themselves. Empty: this machine's.
    std::function<std::optional<std::int64_t>()> oom_kills;
    /// Children serve this many trials before they are replaced; anything but `ok` replaces them at once.
    int trials_per_child = 1;
  };

  ProcessRunner(Options options, std::shared_ptr<Clock> clock);
  ~ProcessRunner() override;

  /// A result whose stop_reason is "interrupted" means that `stop` said so; it measured nothing.
  TrialResult run(const TrialRequest& request, const OnProgress& on_progress) override;
  double now_s() const override { return to_s(clock_->now()); }

 private:
  /// `request`, but for warming what an earlier trial could not warm: reading it all again takes half a minute a trial.
  TrialRequest without_vain_warming(const TrialRequest& request) const;
  TrialResult converse(const TrialRequest& request, const OnProgress& on_progress);
  void retire();

  Options options_;
  std::shared_ptr<Clock> clock_;
  std::unique_ptr<Child> child_;
  int served_ = 0;
  int incarnation_ = 0;
  std::set<std::string> stays_cold_;  ///< data that a trial has tried to warm, and that was not (known to be) warm then
};

/// The child's side: serves trials from its parent until told to quit or the parent is gone. Returns the exit code.
int serve_trials();

}  // namespace feedtune
