#pragma once
// Intervals of correlated series. Consecutive steps share a full or an empty queue, so their times are not independent:
// n steps say less than n (autocorrelation 0.72 leaves 16 % of them).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/interval.hpp"

namespace feedtune {

struct BatchMeans {
  std::vector<double> means;  ///< of contiguous batches of `size` values; the last n % size values are left out
  std::size_t size = 1;
  double lag1 = 0;            ///< autocorrelation of the means at lag 1
  bool independent = true;    ///< |lag1| < 0.2 was reached
};

/// Doubles the batch until the means' lag-1 autocorrelation is under 0.2 in size, keeping at least 10 means (METHOD.md
/// 2.5). With fewer than 20 values there is nothing to batch. `multiple`: batches are multiples of so many values (a
/// loader that serves W workers in turn repeats every W steps); it gives way where fewer than 3 means would be left.
BatchMeans batch_means(std::span<const double> values, std::size_t multiple = 1);

/// Standard error of the series' mean: from the batch means, with what correlation they still have (positive lag1)
/// taken into account as for a first-order autoregressive series: factor sqrt((1 + lag1) / (1 - lag1)).
/// 0 for fewer than two means.
double standard_error(const BatchMeans& batches);

/// 95 % interval of the mean. n: batch means.
Interval interval_of_series(std::span<const double> values, std::size_t multiple = 1);

/// 95 % interval of total(numerator) / total(denominator), e.g. images and seconds of each step: ratio estimator with
/// the batch means of its residuals. n: batch means. The denominators' total is positive.
Interval interval_of_ratio(std::span<const double> numerator, std::span<const double> denominator, std::size_t multiple = 1);

/// 95 % percentile interval of the mean by the circular block bootstrap (Politis and Romano 1992): for series where a
/// normal approximation is in doubt. The same seed gives the same interval. n: values / block.
Interval block_bootstrap(std::span<const double> values, std::size_t block, int resamples, std::uint64_t seed);

}  // namespace feedtune
