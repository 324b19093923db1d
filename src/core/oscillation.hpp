#pragma once
// A device whose use swings: idle for a while, busy for a while, again and again. Its mean hides that.

#include <optional>

namespace feedtune {

struct Oscillation {
  double period_s = 0;
  double duty = 0;     ///< share of the time in which use is above the middle between `low` and `high`
  double low = 0;      ///< use in the low part: 5th percentile of means over about a sixteenth of a period; 0 to 1
  double high = 0;     ///< in the high part: 95th percentile
  double periods = 0;  ///< how many the window held

  /// What the device's idle time in the low part was spent on by the training thread, as shares of it: 0 to 1, together at most 1.
  /// Absent where it is not known (NVML's samples).
  std::optional<double> waiting;  ///< for a batch
  std::optional<double> copying;  ///< pinning or handing over the batch's copy
  /// Means of finished batches that the loader had waiting.
  std::optional<double> ready_low;   ///< at the steps that began in the low part
  std::optional<double> ready_high;  ///< in the high part
};

}  // namespace feedtune
