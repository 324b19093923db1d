#include "measure/steady_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "measure/batch_means.hpp"
#include "measure/statistics.hpp"
#include "measure/student_t.hpp"

namespace feedtune {
namespace {

constexpr std::size_t mser_group = 5;
constexpr std::size_t groups_at_least = 10;          // for MSER of a series without a cycle
constexpr std::size_t cycles_at_least = 4;           // for MSER of whole cycles
constexpr std::size_t batches_at_least = 8;          // for a line through them
constexpr std::int64_t late_groups_at_least = 5;     // fewer agree by chance
constexpr double late_advantage = 10;
constexpr std::size_t groups_for_change = 20;
constexpr double least_noise = 1e-6;                 // relative
constexpr std::size_t longest_period = 64;
constexpr double plain_period = 0.5;
constexpr std::size_t enough_for_period = 4096;       // 64 passes over all steps of a long trial would disturb it

/// Steps in a group: five, or fewer when there are few steps; whole cycles where there is a cycle. 0: too few.
std::size_t group_size(std::size_t steps, std::size_t cycle) {
  if (cycle > 1) {
    const std::size_t group = (mser_group + cycle - 1) / cycle * cycle;
    if (steps / group >= groups_at_least) return group;
    return steps / cycle >= cycles_at_least ? cycle : 0;
  }
  return std::min(mser_group, steps / groups_at_least);
}

struct Truncation {
  std::size_t groups = 0;           ///< to drop from the front, at most half
  std::optional<std::size_t> late;  ///< a far better place in the second half
};

Truncation mser_truncation(const std::vector<double>& groups) {
  Moments rest;
  Truncation best;
  double best_value = INFINITY;
  std::size_t late = 0;
  double late_value = INFINITY;
  for (std::size_t d = groups.size(); d-- > 0;) {  // backwards: each d costs one step of the running moments
    rest.add(groups[d]);
    const auto n = static_cast<double>(rest.count());
    // A modelled timeline has no noise: without a little, rounding alone would choose among its equal values.
    const double value = (rest.variance() + least_noise * least_noise * rest.mean() * rest.mean()) * (n - 1) / (n * n);
    if (2 * d <= groups.size()) {
      if (value <= best_value) {
        best_value = value;
        best.groups = d;
      }
    } else if (rest.count() >= late_groups_at_least && value <= late_value) {
      late_value = value;
      late = d;
    }
  }
  if (late_value * late_advantage < best_value) best.late = late;
  return best;
}

struct Line {
  double slope = 0;
  double p_value = 1;
};

/// Least squares over equally spaced values, with the slope's two-sided p-value; `inflation` multiplies its standard
/// error for correlation that the values still have.
Line fit_line(std::span<const double> values, double inflation) {
  const auto n = static_cast<double>(values.size());
  const double middle_x = (n - 1) / 2;
  const double middle_y = mean(values);
  double xy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) xy += (static_cast<double>(i) - middle_x) * (values[i] - middle_y);
  const double xx = n * (n * n - 1) / 12;
  Line line;
  line.slope = xy / xx;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double residual = values[i] - middle_y - line.slope * (static_cast<double>(i) - middle_x);
    squares += residual * residual;
  }
  const double error = inflation * std::sqrt(squares / (n - 2) / xx);
  if (line.slope == 0) return line;
  line.p_value = error > 0 ? 2 * student_t_cdf(-std::abs(line.slope) / error, n - 2) : 0;
  return line;
}

std::vector<double> without_line(std::span<const double> values, double slope) {
  std::vector<double> rest(values.begin(), values.end());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= slope * static_cast<double>(i);
  return rest;
}

struct Trend {
  double change = 0;  ///< over the whole part, relative to its mean
  double p_value = 1;
};

/// None found (p = 1) where there are too few batches for a line.
Trend trend_of(std::span<const double> part, std::size_t cycle) {
  // The batch is chosen on what a line leaves: the line itself would look like correlation.
  const BatchMeans residuals = batch_means(without_line(part, fit_line(part, 1).slope), cycle);
  std::vector<double> batches;
  for (std::size_t at = 0; at + residuals.size <= part.size(); at += residuals.size)
    batches.push_back(mean(part.subspan(at, residuals.size)));
  Trend trend;
  if (batches.size() < batches_at_least) return trend;
  const double rho = std::clamp(residuals.lag1, 0.0, 0.9);
  const Line line = fit_line(batches, std::sqrt((1 + rho) / (1 - rho)));
  trend.change = line.slope * static_cast<double>(batches.size() - 1) / mean(part);
  trend.p_value = line.p_value;
  return trend;
}

std::optional<std::size_t> find_period(std::span<const double> values) {
  if (values.size() > enough_for_period) values = values.last(enough_for_period);
  const std::size_t longest = std::min(longest_period, values.size() / 4);
  std::vector<double> at_lag(longest + 2, 0);
  for (std::size_t lag = 1; lag < at_lag.size(); ++lag) at_lag[lag] = autocorrelation(values, lag);
  // The smallest peak that is nearly as high as the highest: multiples of a period are peaks too.
  double highest = plain_period;
  for (std::size_t lag = 2; lag <= longest; ++lag)
    if (at_lag[lag] > at_lag[lag - 1] && at_lag[lag] >= at_lag[lag + 1]) highest = std::max(highest, at_lag[lag]);
  for (std::size_t lag = 2; lag <= longest; ++lag)
    if (at_lag[lag] > at_lag[lag - 1] && at_lag[lag] >= at_lag[lag + 1] && at_lag[lag] > plain_period &&
        at_lag[lag] > 0.85 * highest)
      return lag;
  return std::nullopt;
}

/// The change of level at a group in the second half, with Welch's t between the groups before and after it. A series
/// without noise has a p-value of 0.
std::optional<SteadyState> late_change(std::span<const double> groups, const Truncation& truncation, const SteadyOptions& options) {
  if (!truncation.late) return std::nullopt;
  const auto before = groups.subspan(truncation.groups, *truncation.late - truncation.groups);
  const auto after = groups.subspan(*truncation.late);
  const Moments a = moments(before), b = moments(after);
  std::vector<double> residuals;
  for (const double value : before) residuals.push_back(value - a.mean());
  for (const double value : after) residuals.push_back(value - b.mean());
  const double rho = std::clamp(autocorrelation(residuals, 1), 0.0, 0.9);
  const double share_a = a.variance() / static_cast<double>(a.count()), share_b = b.variance() / static_cast<double>(b.count());
  const double error = std::sqrt((share_a + share_b) * (1 + rho) / (1 - rho));
  SteadyState state;
  state.verdict = SteadyState::Verdict::warming_up;
  state.change = b.mean() / a.mean() - 1;
  state.p_value = 0;
  if (error > 0) {
    const auto freedom = [](const Moments& m) { return static_cast<double>(std::max<std::int64_t>(1, m.count() - 1)); };
    const double df = (share_a + share_b) * (share_a + share_b) / (share_a * share_a / freedom(a) + share_b * share_b / freedom(b));
    state.p_value = 2 * student_t_cdf(-std::abs(b.mean() - a.mean()) / error, df);
  }
  if (std::abs(state.change) <= options.tolerance || state.p_value >= options.significance) return std::nullopt;
  return state;
}

struct Groups {
  std::size_t size = 0;  ///< steps in each; 0: too few steps
  std::vector<double> means;
  Truncation truncation;
};

Groups grouped(std::span<const double> step_s, std::size_t size) {
  Groups groups;
  groups.size = size;
  if (groups.size == 0) return groups;
  for (std::size_t at = 0; at + groups.size <= step_s.size(); at += groups.size)
    groups.means.push_back(mean(step_s.subspan(at, groups.size)));
  groups.truncation = mser_truncation(groups.means);
  return groups;
}

}  // namespace

std::string SteadyState::text() const {
  switch (verdict) {
    case Verdict::too_few: return "too few steps to tell";
    case Verdict::trend:
      return fmt::format("step time still {}: {:+.1f} % since step {} (p = {:.2g})", change < 0 ? "falling" : "rising",
                         change * 100, begin, p_value);
    case Verdict::warming_up:
      return fmt::format("step time changed by {:+.1f} % as late as step {} (p = {:.2g})", change * 100, begin, p_value);
    case Verdict::steady: break;
  }
  return fmt::format("steady since step {}", begin);
}

SteadyState steady_state(std::span<const double> step_s, const SteadyOptions& options) {
  SteadyState result;
  const std::size_t cycle = std::max<std::size_t>(options.cycle, 1);
  const Groups groups = grouped(step_s, group_size(step_s.size(), cycle));
  if (groups.size == 0) return result;
  if (auto changed = late_change(groups.means, groups.truncation, options)) {
    changed->begin = *groups.truncation.late * groups.size;
    return *changed;
  }
  const std::size_t stride = std::max<std::size_t>(1, groups.means.size() / 10);
  const std::size_t latest = groups.means.size() / 2;
  for (std::size_t dropped = groups.truncation.groups;; dropped = std::min(dropped + stride, latest)) {
    result.begin = dropped * groups.size;
    const Trend trend = trend_of(step_s.subspan(result.begin), cycle);
    result.change = trend.change;
    result.p_value = trend.p_value;
    const bool drifts = std::abs(trend.change) > options.tolerance && trend.p_value < options.significance;
    result.verdict = drifts ? SteadyState::Verdict::trend : SteadyState::Verdict::steady;
    if (!drifts || dropped >= latest) break;
  }
  result.period = find_period(step_s.subspan(result.begin));
  return result;
}

SteadyState verdict_at_end(std::span<const double> step_s, std::size_t begin, std::size_t cycle) {
  SteadyState result;
  cycle = std::max<std::size_t>(cycle, 1);
  const SteadyOptions plain{.cycle = cycle, .tolerance = plain_change, .significance = plain_significance};
  // Smaller groups than MSER's five in a short window, so that a change has a place in its second half.
  const std::size_t usual = group_size(step_s.size(), cycle);
  const Groups groups = grouped(step_s, cycle > 1 || usual == 0 ? usual : std::clamp<std::size_t>(step_s.size() / groups_for_change, 1, usual));
  if (groups.size == 0) return result;
  if (auto changed = late_change(groups.means, groups.truncation, plain)) {
    changed->begin = *groups.truncation.late * groups.size;
    return *changed;
  }
  result.begin = begin;
  const Trend trend = trend_of(step_s.subspan(begin), cycle);
  result.change = trend.change;
  result.p_value = trend.p_value;
  const bool drifts = std::abs(trend.change) > plain_change && trend.p_value < plain_significance;
  result.verdict = drifts ? SteadyState::Verdict::trend : SteadyState::Verdict::steady;
  return result;
}

}  // namespace feedtune
