#pragma once
// Descriptive statistics and intervals of independent values. For correlated ones (step times): batch_means.hpp.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/interval.hpp"

namespace feedtune {

/// Mean and variance in one pass (Welford 1962), without the cancellation of sum-of-squares formulas.
class Moments {
 public:
  void add(double value) {
    ++count_;
    const double delta = value - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (value - mean_);
  }
  std::int64_t count() const { return count_; }
  double mean() const { return mean_; }
  /// Unbiased (n - 1); 0 with fewer than two values.
  double variance() const { return count_ < 2 ? 0 : squares_ / static_cast<double>(count_ - 1); }
  double deviation() const;

 private:
  std::int64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

Moments moments(std::span<const double> values);
/// 0 for no values.
double mean(std::span<const double> values);

/// Quantile of sorted values with linear interpolation at (n - 1) * share, as numpy.percentile's default (Hyndman and
/// Fan's type 7); share in [0, 1]. Of one value that value, of none 0.
double sorted_quantile(std::span<const double> sorted, double share);
/// Sorts a copy.
double quantile(std::span<const double> values, double share);
double median(std::span<const double> values);
/// Median absolute deviation times 1.4826: estimates a normal distribution's standard deviation, whatever the outliers.
double robust_deviation(std::span<const double> values);

/// Autocorrelation at `lag` >= 1: sum((x_i - m)(x_{i+lag} - m)) / sum((x_i - m)^2). 0 where the values don't vary or
/// are too few.
double autocorrelation(std::span<const double> values, std::size_t lag);

/// Student's 95 % interval of the mean of independent values (trials, batch means).
Interval interval_of_mean(std::span<const double> values);

/// The smallest true difference that an estimate with this standard error (Student's t, `df` degrees of freedom) would
/// show at a two-sided level `alpha` with probability `power`: (t_{1-alpha/2} + t_{power}) se. In the unit of `error`;
/// of n pairs whose differences scatter by sd: error sd / sqrt(n), df n - 1.
double minimal_detectable_effect(double error, double df, double alpha = 0.05, double power = 0.8);

}  // namespace feedtune
