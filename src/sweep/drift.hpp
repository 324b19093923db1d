#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/trial.hpp"
#include "measure/level_shift.hpp"

namespace feedtune {

/// Watches the reference configuration, which a sweep repeats, for a shift of the machine itself.
class DriftMonitor {
 public:
  /// Takes the next reference trial (anything that didn't work is ignored). Returns what to note when a shift is seen
  /// (LevelWatch). The analysis takes the same shifts out of the search's trials (analyze/drift_correction).
  std::optional<std::string> tell(const TrialResult& reference);

 private:
  LevelWatch watch_;
  std::vector<int> orders_;
};

}  // namespace feedtune
