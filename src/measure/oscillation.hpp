#pragma once
// Finds the period with which a device's use swings.
//
// The series is looked at in bins of its own width, twice, four times ... that width, so that every period is seen as 4 to 16 bins.
// At each scale, the autocorrelation has to turn negative and then to peak beyond what noise gives: one-sided normal quantile of
// 5 % over all lags and scales looked at (Bonferroni), times Bartlett's standard error of an autocorrelation for a first-order
// autoregressive series, sqrt((1 + r1^2) / (1 - r1^2) / n) (Box, Jenkins, Reinsel, Ljung: Time Series Analysis, 5th ed., section 2.1.6),
// with r1 as measured, so that slow noise needs more. Twice the period has to correlate too, which chance pairs of stalls don't.
// Measured on 1,000 windows a case of the generators in tests/measure/oscillation_test.cpp: white and autoregressive noise (r1 up to 0.95,
// 30 to 1,000 bins) is taken for a swing in 18 of 20,000 windows, 9 of 1,000 at worst. Bursts of duty 0.15 to 0.8 whose lengths vary by
// 10 % are found in 65 to 78 % of windows of six periods and 92 to 99 % of ten; by 20 %, in 16 to 18 % and 27 to 48 %.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/oscillation.hpp"
#include "measure/clock.hpp"

namespace feedtune {

/// A device's use, evenly sampled: shares from 0 to 1 of bins of `bin_s` seconds.
struct UseSeries {
  double bin_s = 0;
  std::vector<double> share;
};

/// The device's use from one moment to another. One span a step keeps the step's own rhythm (each waits for its batch) out of the
/// series, and with it its multiples and its beats with the bins.
struct UseSpan {
  Nanoseconds begin{0}, end{0};
  double share = 1;
};

/// `spans` in order of their begins, disjoint; what lies outside [begin, end) doesn't count. At most 4,096 bins of at least 20 ms: periods
/// under 80 ms are not looked for, no tool would show them.
UseSeries use_of(const std::vector<UseSpan>& spans, Nanoseconds begin, Nanoseconds end);

/// Use as sampled at uneven times: each value holds from the sample before until its own time, as NVML's utilisation is the share of the
/// driver's last period. Bins are as wide as the mean distance of samples. Times in seconds, rising; empty
/// where no time passes.
UseSeries use_of_samples(const std::vector<double>& at_s, const std::vector<double>& share);

/// Swings smaller than this between `low` and `high` are none.
inline constexpr double least_swing = 0.3;
/// Fewer steps in a period are steps that take turns, not bursts.
inline constexpr double least_steps_per_period = 2.5;
/// Fewer bins can't hold four periods of four bins with a margin.
inline constexpr std::size_t least_bins = 24;

/// Nothing where no swing was found, and where the series is too short (fewer than `least_bins`). `step_s`: mean time from step
/// to step; 0: not known. Only the fields of the series are filled in.
std::optional<Oscillation> find_oscillation(const UseSeries& use, double step_s);

/// Means over about a sixteenth of a period, and the level between low and high: true where use is high at that time (seconds from the
/// series' begin).
class HighParts {
 public:
  HighParts(const UseSeries& use, const Oscillation& found);
  bool high_at(double at_s) const;

 private:
  double bin_s_ = 0;
  std::vector<bool> high_;
};

}  // namespace feedtune
