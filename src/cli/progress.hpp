#pragma once
// Progress of a sweep on stderr: one live line on a terminal, one plain line a trial elsewhere.

#include <chrono>
#include <string>
#include <vector>

#include "sweep/sweep.hpp"

namespace feedtune {

class Progress final : public SweepObserver {
 public:
  /// `live`: stderr is a terminal that understands carriage returns. `columns`: its width.
  Progress(bool live, int columns);
  ~Progress() override;

  void stage_started(const SweepStatus& status, const Run& so_far) override;
  void trial_started(const TrialRequest& request, const SweepStatus& status) override;
  void trial_progress(const TrialRequest& request, const TrialProgress& progress, const SweepStatus& status) override;
  void trial_finished(const TrialResult& result, const SweepStatus& status) override;
  void noted(const RunNote& note) override;

 private:
  void line(const std::string& text);
  void live_line(const std::string& text);
  void clear_live();

  bool live_;
  int columns_;
  bool shown_ = false;
  double best_ = 0;
  std::vector<std::string> swept_;  ///< axes that this sweep was given several values of
  std::chrono::steady_clock::time_point last_redraw_{};
};

/// For --quiet: says nothing; what changes the meaning of the result stands among its warnings.
class Quiet final : public SweepObserver {};

/// A Progress for this process's stderr.
Progress make_progress();

}  // namespace feedtune
