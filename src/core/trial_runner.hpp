#pragma once
#include <functional>
#include <string>

#include "core/trial.hpp"

namespace feedtune {

/// What a running trial is doing, for progress lines.
struct TrialProgress {
  std::string phase;  ///< starting, warm-up, measuring
  double images_per_s = 0;
  double elapsed_s = 0;
};

/// Runs one trial at a time and always returns a result: what goes wrong is a status. Called from one thread.
class TrialRunner {
 public:
  using OnProgress = std::function<void(const TrialProgress&)>;
  virtual ~TrialRunner() = default;
  virtual TrialResult run(const TrialRequest& request, const OnProgress& on_progress) = 0;
  /// Seconds by the clock on which trials cost time (a replay's clock is simulated).
  virtual double now_s() const = 0;
};

}  // namespace feedtune
