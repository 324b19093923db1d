#include "measure/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "measure/student_t.hpp"

namespace feedtune {

double Moments::deviation() const { return std::sqrt(variance()); }

Moments moments(std::span<const double> values) {
  Moments result;
  for (const double value : values) result.add(value);
  return result;
}

double mean(std::span<const double> values) { return moments(values).mean(); }

double sorted_quantile(std::span<const double> sorted, double share) {
  if (sorted.empty()) return 0;
  const double position = std::clamp(share, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double quantile(std::span<const double> values, double share) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted_quantile(sorted, share);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double robust_deviation(std::span<const double> values) {
  const double middle = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return 1.4826 * median(distances);
}

double autocorrelation(std::span<const double> values, std::size_t lag) {
  assert(lag >= 1);
  if (values.size() < lag + 2) return 0;
  const double middle = mean(values);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double distance = values[i] - middle;
    squares += distance * distance;
    if (i + lag < values.size()) products += distance * (values[i + lag] - middle);
  }
  return squares > 0 ? products / squares : 0;
}

Interval interval_of_mean(std::span<const double> values) {
  const Moments m = moments(values);
  Interval result{.mean = m.mean(), .low = m.mean(), .high = m.mean(), .n = m.count()};
  if (m.count() < 2) return result;
  const auto n = static_cast<double>(m.count());
  const double half = student_t_quantile(0.975, n - 1) * m.deviation() / std::sqrt(n);
  result.low -= half;
  result.high += half;
  return result;
}

double minimal_detectable_effect(double error, double df, double alpha, double power) {
  return (student_t_quantile(1 - alpha / 2, df) + student_t_quantile(power, df)) * error;
}

}  // namespace feedtune
