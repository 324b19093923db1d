#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/trial.hpp"

namespace feedtune {

/// Watches the reference configuration, which a sweep repeats, for a shift of the machine itself.
class DriftMonitor {
 public:
  /// Takes the next reference trial (anything that didn't work is ignored). Returns what to note once the last two
  /// both lie on one side of the earlier ones' median by more than 3 % and more than 3 standard deviations of the
  /// reference; the watch then starts anew from those two. The deviation is taken from successive differences
  /// (von Neumann 1941), so a slow trend doesn't hide itself by widening it, and is at least what the trials' own
  /// intervals say.
  std::optional<std::string> tell(const TrialResult& reference);

 private:
  struct Value {
    double log_rate;
    double own_sd;  ///< relative standard error inside the trial
    int order;
  };
  std::vector<Value> values_;
};

}  // namespace feedtune
