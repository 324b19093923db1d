#include "measure/oscillation.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <span>

#include "measure/statistics.hpp"

namespace feedtune {
namespace {

constexpr std::size_t most_bins = 4096;
constexpr double least_bin_s = 0.02;
constexpr std::size_t shortest_lag = 4, longest_lag = 16;
constexpr double false_alarm = 0.05;
constexpr double parts_per_period = 16;
constexpr double most_r1 = 0.95;  // the bound goes to infinity with it

/// Means of `by` bins each; a rest at the end is left out.
UseSeries merged(const UseSeries& use, std::size_t by) {
  UseSeries means{use.bin_s * static_cast<double>(by), {}};
  const std::span<const double> share = use.share;
  for (std::size_t i = 0; i + by <= share.size(); i += by) means.share.push_back(mean(share.subspan(i, by)));
  return means;
}

UseSeries parts_of_periods(const UseSeries& use, double period_s) {
  return merged(use, std::max<std::size_t>(1, static_cast<std::size_t>(period_s / parts_per_period / use.bin_s)));
}

double middle_of(const Oscillation& found) { return (found.low + found.high) / 2; }

struct Peak {
  std::size_t lag = 0;
  double strength = 0;  ///< its correlation as a multiple of what noise reaches
};

/// The shortest lag that correlates about as well as the best one and beyond noise.
std::optional<Peak> peak_of(const std::vector<double>& x, double tests) {
  const std::size_t longest = std::min(longest_lag, x.size() / 4);
  std::vector<double> r(1, 1.0);
  for (std::size_t lag = 1; lag <= 2 * longest; ++lag) r.push_back(autocorrelation(x, lag));
  std::size_t lag = 1;
  while (lag <= longest && r[lag] >= 0) ++lag;
  lag = std::max(shortest_lag, lag + 1);
  if (lag > longest) return std::nullopt;
  const double best = *std::max_element(r.begin() + static_cast<std::ptrdiff_t>(lag), r.begin() + static_cast<std::ptrdiff_t>(longest) + 1);
  const double r1 = std::clamp(r[1], 0.0, most_r1);
  const double quantile = boost::math::quantile(boost::math::complement(boost::math::normal(), false_alarm / tests));
  const double bound = quantile * std::sqrt((1 + r1 * r1) / (1 - r1 * r1) / static_cast<double>(x.size()));
  for (; lag <= longest; ++lag) {
    const bool top = r[lag] >= r[lag - 1] && r[lag] >= r[lag + 1];
    if (!top || r[lag] < 0.85 * best) continue;
    if (r[lag] <= bound || r[2 * lag] <= bound / 3) return std::nullopt;
    return Peak{lag, r[lag] / bound};
  }
  return std::nullopt;
}

}  // namespace

UseSeries use_of(const std::vector<UseSpan>& spans, Nanoseconds begin, Nanoseconds end) {
  const double length = to_s(end - begin);
  UseSeries use;
  if (length <= 0) return use;
  const auto bins = static_cast<std::size_t>(std::clamp(length / least_bin_s, 1.0, static_cast<double>(most_bins)));
  use.bin_s = length / static_cast<double>(bins);
  use.share.assign(bins, 0);
  for (const UseSpan& span : spans) {
    double at = std::max(0.0, to_s(span.begin - begin)) / use.bin_s;
    const double last = std::min(length, to_s(span.end - begin)) / use.bin_s;
    while (at < last) {
      const auto bin = std::min(bins - 1, static_cast<std::size_t>(at));
      const double until = bin + 1 == bins ? last : std::min(last, static_cast<double>(bin) + 1);
      use.share[bin] += span.share * (until - at);
      at = until;
    }
  }
  for (double& share : use.share) share = std::min(1.0, share);
  return use;
}

UseSeries use_of_samples(const std::vector<double>& at_s, const std::vector<double>& share) {
  UseSeries use;
  if (at_s.size() < 2) return use;
  const double length = at_s.back() - at_s.front();
  if (length <= 0) return use;
  use.bin_s = length / static_cast<double>(at_s.size() - 1);
  std::size_t sample = 1;
  for (std::size_t bin = 0; bin + 1 < at_s.size(); ++bin) {
    const double middle = at_s.front() + (static_cast<double>(bin) + 0.5) * use.bin_s;
    while (sample + 1 < at_s.size() && at_s[sample] < middle) ++sample;
    use.share.push_back(share[sample]);
  }
  return use;
}

std::optional<Oscillation> find_oscillation(const UseSeries& use, double step_s) {
  double scales = 0;
  for (std::size_t n = use.share.size(); n >= least_bins; n /= 2) ++scales;
  const double tests = scales * static_cast<double>(longest_lag - shortest_lag + 1);
  std::optional<Oscillation> found;
  double strength = 0;
  for (UseSeries scale = use; scale.share.size() >= least_bins; scale = merged(scale, 2)) {
    const auto peak = peak_of(scale.share, tests);
    if (!peak || peak->strength <= strength) continue;
    Oscillation one;
    one.period_s = scale.bin_s * static_cast<double>(peak->lag);
    const std::vector<double> parts = parts_of_periods(use, one.period_s).share;
    one.low = quantile(parts, 0.05);
    one.high = quantile(parts, 0.95);
    if (one.high - one.low < least_swing) continue;
    const auto high = std::count_if(parts.begin(), parts.end(), [&](double part) { return part > middle_of(one); });
    one.duty = static_cast<double>(high) / static_cast<double>(parts.size());
    one.periods = use.bin_s * static_cast<double>(use.share.size()) / one.period_s;
    found = one;
    strength = peak->strength;
  }
  // Asked last: the multiples of a period that is the steps' own would pass.
  if (found && step_s > 0 && found->period_s < least_steps_per_period * step_s) return std::nullopt;
  return found;
}

HighParts::HighParts(const UseSeries& use, const Oscillation& found) {
  const UseSeries parts = parts_of_periods(use, found.period_s);
  bin_s_ = parts.bin_s;
  for (const double part : parts.share) high_.push_back(part > middle_of(found));
}

bool HighParts::high_at(double at_s) const {
  if (high_.empty() || at_s < 0) return false;
  return high_[std::min(high_.size() - 1, static_cast<std::size_t>(at_s / bin_s_))];
}

}  // namespace feedtune
