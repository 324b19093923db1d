#include "measure/level_shift.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "measure/statistics.hpp"

namespace feedtune {
namespace {

constexpr double least_shift = 0.03;
constexpr double standard_deviations = 3;
constexpr std::size_t least_earlier = 3;

}  // namespace

std::optional<LevelShift> LevelWatch::tell(double log_value, double own_sd) {
  values_.push_back(log_value);
  own_sds_.push_back(own_sd);
  if (values_.size() < least_earlier + 2) return std::nullopt;

  const std::size_t earlier = values_.size() - 2;
  const std::span levels = std::span<const double>(values_).first(earlier);
  std::vector<double> differences;
  for (std::size_t i = 1; i < earlier; ++i) differences.push_back(std::abs(levels[i] - levels[i - 1]));
  const double level = median(levels);
  // 1.4826: median absolute deviation to standard deviation of a normal; a difference has twice the variance.
  const double sd = std::max(1.4826 * median(differences) / std::sqrt(2.0), median(std::span<const double>(own_sds_).first(earlier)));
  const double limit = std::max(std::log1p(least_shift), standard_deviations * sd);
  const double shift = values_[earlier + 1] - level, shift_before = values_[earlier] - level;
  if (std::min(std::abs(shift), std::abs(shift_before)) <= limit || (shift > 0) != (shift_before > 0)) return std::nullopt;

  const LevelShift found{begin_ + earlier, level, (values_[earlier] + values_[earlier + 1]) / 2, sd};
  begin_ += earlier;
  const auto ended = static_cast<std::ptrdiff_t>(earlier);
  values_.erase(values_.begin(), values_.begin() + ended);
  own_sds_.erase(own_sds_.begin(), own_sds_.begin() + ended);
  return found;
}

}  // namespace feedtune
