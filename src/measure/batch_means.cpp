#include "measure/batch_means.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <random>

#include "measure/statistics.hpp"
#include "measure/student_t.hpp"

namespace feedtune {
namespace {

constexpr double lag1_limit = 0.2;
constexpr std::size_t means_at_least = 10;
constexpr std::size_t means_at_least_of_cycles = 3;

std::vector<double> means_of(std::span<const double> values, std::size_t size) {
  std::vector<double> means;
  for (std::size_t at = 0; at + size <= values.size(); at += size) means.push_back(mean(values.subspan(at, size)));
  return means;
}

Interval around(double middle, double error, std::size_t means) {
  Interval result{.mean = middle, .low = middle, .high = middle, .n = static_cast<std::int64_t>(means)};
  if (means < 2) return result;
  const double half = student_t_quantile(0.975, static_cast<double>(means - 1)) * error;
  result.low -= half;
  result.high += half;
  return result;
}

}  // namespace

BatchMeans batch_means(std::span<const double> values, std::size_t multiple) {
  if (multiple == 0 || values.size() / multiple < means_at_least_of_cycles) multiple = 1;
  BatchMeans result;
  for (result.size = multiple;; result.size *= 2) {
    result.means = means_of(values, result.size);
    result.lag1 = autocorrelation(result.means, 1);
    result.independent = std::abs(result.lag1) < lag1_limit;
    if (result.independent || values.size() / (result.size * 2) < means_at_least) return result;
  }
}

double standard_error(const BatchMeans& batches) {
  const Moments m = moments(batches.means);
  if (m.count() < 2) return 0;
  const double rho = std::clamp(batches.lag1, 0.0, 0.9);
  return std::sqrt(m.variance() / static_cast<double>(m.count()) * (1 + rho) / (1 - rho));
}

Interval interval_of_series(std::span<const double> values, std::size_t multiple) {
  const BatchMeans batches = batch_means(values, multiple);
  return around(mean(values), standard_error(batches), batches.means.size());
}

Interval interval_of_ratio(std::span<const double> numerator, std::span<const double> denominator, std::size_t multiple) {
  assert(numerator.size() == denominator.size());
  const double denominator_mean = mean(denominator);
  if (!(denominator_mean > 0)) return {};
  const double ratio = mean(numerator) / denominator_mean;
  std::vector<double> residuals(numerator.size());
  for (std::size_t i = 0; i < residuals.size(); ++i) residuals[i] = numerator[i] - ratio * denominator[i];
  const BatchMeans batches = batch_means(residuals, multiple);
  Interval result = around(ratio, standard_error(batches) / denominator_mean, batches.means.size());
  result.low = std::max(0.0, result.low);
  return result;
}

Interval block_bootstrap(std::span<const double> values, std::size_t block, int resamples, std::uint64_t seed) {
  const double middle = mean(values);
  Interval result{.mean = middle, .low = middle, .high = middle, .n = 0};
  if (values.empty()) return result;
  block = std::clamp<std::size_t>(block, 1, values.size());
  result.n = static_cast<std::int64_t>(values.size() / block);
  if (result.n < 2 || resamples < 2) return result;

  // Sums of any block by differences of running sums over the series laid out twice (that makes it circular).
  std::vector<double> running(2 * values.size() + 1, 0);
  for (std::size_t i = 0; i < 2 * values.size(); ++i) running[i + 1] = running[i] + (values[i % values.size()] - middle);
  std::mt19937_64 random(seed);  // its sequence is fixed by the standard; its distributions' are not, so none is used
  std::vector<double> means(static_cast<std::size_t>(resamples));
  for (double& resampled : means) {
    double sum = 0;
    for (std::size_t done = 0; done < values.size(); done += block) {
      const auto start = static_cast<std::size_t>(random() % values.size());
      sum += running[start + std::min(block, values.size() - done)] - running[start];
    }
    resampled = middle + sum / static_cast<double>(values.size());
  }
  std::sort(means.begin(), means.end());
  result.low = sorted_quantile(means, 0.025);
  result.high = sorted_quantile(means, 0.975);
  return result;
}

}  // namespace feedtune
