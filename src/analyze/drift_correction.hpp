#pragma once
#include <cstddef>
#include <vector>

#include "core/run.hpp"

namespace feedtune {

/// What a machine that changed during the search did to its trials, by the configuration that the search repeated most
/// (the sweep's reference). Confirmation needs none: its blocks are compared within themselves.
class DriftCorrection {
 public:
  /// `run` outlives it. Shifts are those that a LevelWatch sees in the repeated configuration's trials.
  explicit DriftCorrection(const Run& run);

  struct Change {
    double log_rate = 0;  ///< to be added to the logarithm of the trial's images/s: as the machine was when the search ended
    double sd = 0;        ///< what is not known of it, relative
  };
  /// Of a trial of the run's search. Between the last repetition of one level and the first of the next it is not known
  /// when the machine changed: half of the shift, and its uncertainty.
  Change of(const TrialResult& trial) const;

 private:
  struct Shift {
    std::size_t last_before;  ///< places in run.trials
    std::size_t first_after;
    double log_change;  ///< of the rate
    double sd;          ///< of log_change
  };
  const Run& run_;
  std::vector<Shift> shifts_;
};

}  // namespace feedtune
