#include "measure/oscillation.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "measure/statistics.hpp"

namespace feedtune {
namespace {

constexpr std::size_t most_bins = 4096;
constexpr double least_bin_s = 0.02;
constexpr std::size_t shortest_lag = 4, longest_lag = 16;
constexpr double false_alarm = 0.05;
constexpr double parts_per_period = 16;
constexpr double most_r1 = 0.95;  // the bound goes to infinity with it

std::vector<double> halved(const std::vector<double>& x) {
  std::vector<double> half;
  for (std::size_t i = 0; i + 1 < x.size(); i += 2) half.push_back((x[i] + x[i + 1]) / 2);
  return half;
}

std::vector<double> merged(const std::vector<double>& x, std::size_t by) {
  std::vector<double> sums;
  for (std::size_t i = 0; i + by <= x.size(); i += by) {
    double sum = 0;
    for (std::size_t j = i; j < i + by; ++j) sum += x[j];
    sums.push_back(sum / static_cast<double>(by));
  }
  return sums;
}

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
    if (top && r[lag] >= 0.85 * best) return r[lag] > bound && r[2 * lag] > bound / 3 ? std::optional(Peak{lag, r[lag] / bound}) : std::nullopt;
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
  std::vector<double> x = use.share;
  for (double bin_s = use.bin_s; x.size() >= least_bins; x = halved(x), bin_s *= 2) {
    const auto peak = peak_of(x, tests);
    if (!peak || peak->strength <= strength) continue;
    Oscillation one;
    one.period_s = bin_s * static_cast<double>(peak->lag);
    const std::vector<double> parts = merged(use.share, std::max<std::size_t>(1, static_cast<std::size_t>(one.period_s / parts_per_period / use.bin_s)));
    one.low = quantile(parts, 0.05);
    one.high = quantile(parts, 0.95);
    if (one.high - one.low < least_swing) continue;
    const double middle = (one.low + one.high) / 2;
    one.duty = static_cast<double>(std::count_if(parts.begin(), parts.end(), [&](double part) { return part > middle; })) /
               static_cast<double>(parts.size());
    one.periods = use.bin_s * static_cast<double>(use.share.size()) / one.period_s;
    found = one;
    strength = peak->strength;
  }
  // Asked last: the multiples of a period that is the steps' own would pass.
  if (found && step_s > 0 && found->period_s < least_steps_per_period * step_s) return std::nullopt;
  return found;
}

HighParts::HighParts(const UseSeries& use, const Oscillation& found) {
  const auto by = std::max<std::size_t>(1, static_cast<std::size_t>(found.period_s / parts_per_period / use.bin_s));
  bin_s_ = use.bin_s * static_cast<double>(by);
  const double middle = (found.low + found.high) / 2;
  for (const double part : merged(use.share, by)) high_.push_back(part > middle);
}

bool HighParts::high_at(double at_s) const {
  if (high_.empty() || at_s < 0) return false;
  return high_[std::min(high_.size() - 1, static_cast<std::size_t>(at_s / bin_s_))];
}

}  // namespace feedtune
