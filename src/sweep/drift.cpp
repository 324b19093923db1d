#include "sweep/drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace feedtune {
namespace {

constexpr double least_shift = 0.03;
constexpr double standard_deviations = 3;
constexpr std::size_t least_earlier = 3;

double median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle))) / 2;
}

}  // namespace

std::optional<std::string> DriftMonitor::tell(const TrialResult& reference) {
  if (reference.status != TrialStatus::ok || !reference.images_per_s || !(reference.images_per_s->mean > 0))
    return std::nullopt;
  const Interval& rate = *reference.images_per_s;
  // 95 % interval: 1.96 standard errors to each side.
  values_.push_back({std::log(rate.mean), (rate.high - rate.low) / 2 / 1.96 / rate.mean, reference.order});
  if (values_.size() < least_earlier + 2) return std::nullopt;

  std::vector<double> levels, steps, own;
  for (std::size_t i = 0; i + 2 < values_.size(); ++i) {
    levels.push_back(values_[i].log_rate);
    own.push_back(values_[i].own_sd);
    if (i > 0) steps.push_back(std::abs(values_[i].log_rate - values_[i - 1].log_rate));
  }
  const double level = median(levels);
  // 1.4826: median absolute deviation to standard deviation of a normal; a difference has twice the variance.
  const double sd = std::max(1.4826 * median(steps) / std::sqrt(2.0), median(own));
  const double limit = std::max(std::log1p(least_shift), standard_deviations * sd);
  const Value last = values_.back(), before = values_[values_.size() - 2];
  const double shift = last.log_rate - level, shift_before = before.log_rate - level;
  if (std::min(std::abs(shift), std::abs(shift_before)) <= limit || (shift > 0) != (shift_before > 0)) return std::nullopt;
  const double now = (last.log_rate + before.log_rate) / 2;
  values_ = {before, last};
  return fmt::format(
      "from trial {} on the reference runs at {:.1f} images/s, {:+.1f} % against the {:.1f} before (noise {:.1f} %): the "
      "machine changed; only trials of one block compare",
      before.order, std::exp(now), 100 * std::expm1(now - level), std::exp(level), 100 * sd);
}

}  // namespace feedtune
