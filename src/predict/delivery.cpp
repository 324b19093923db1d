#include "predict/delivery.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <queue>
#include <vector>

#include "measure/student_t.hpp"

namespace feedtune {
namespace {

constexpr std::size_t count = 192;
/// Batches before the queue has settled; 144 are left, which many numbers of workers divide, so that bursts end where they began.
constexpr std::size_t filling = 47;

/// Normal quantiles in an order without a pattern: multiplying by a primitive root of the prime 193 visits 1 to 192 once.
const std::array<double, count>& deviates() {
  static const std::array<double, count> table = [] {
    std::array<double, count> z{};
    std::size_t place = 1;
    for (double& value : z) {
      value = student_t_quantile((static_cast<double>(place) - 0.5) / static_cast<double>(count), 1e9);
      place = place * 5 % 193;
    }
    return z;
  }();
  return table;
}

}  // namespace

double batch_interval_s(const Delivery& d) {
  assert(d.workers >= 1 && d.tokens >= 1);
  const auto workers = static_cast<std::size_t>(d.workers), tokens = static_cast<std::size_t>(d.tokens);
  const auto& z = deviates();
  std::array<double, count> loaded{}, taken{};
  double pinned = 0, done = 0, start = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double begin = i >= workers ? loaded[i - workers] : 0;
    if (i >= tokens) begin = std::max(begin, taken[i - tokens]);
    loaded[i] = begin + d.load_s * std::max(0.2, 1 + d.load_cv * z[i]);
    pinned = std::max(loaded[i], pinned) + d.serial_s;
    taken[i] = std::max(pinned, done);
    done = taken[i] + d.consume_s;
    if (i == filling) start = done;
  }
  // So many workers that the whole sequence is the filling of the queue: the rates alone decide.
  if (workers > filling || tokens > 2 * filling)
    return std::max({d.load_s / static_cast<double>(std::min(workers, tokens)), d.serial_s, d.consume_s});
  return (done - start) / static_cast<double>(count - 1 - filling);
}

double makespan_s(std::span<const double> image_s, std::int64_t workers) {
  assert(workers >= 1);
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
  double last = 0;
  for (const double seconds : image_s) {
    double begin = 0;
    if (static_cast<std::int64_t>(free_at.size()) == workers) {
      begin = free_at.top();
      free_at.pop();
    }
    free_at.push(begin + seconds);
    last = std::max(last, begin + seconds);
  }
  return last;
}

double makespan_s(std::int64_t images, std::int64_t workers, double image_s, double cv) {
  const double spread = std::sqrt(std::log1p(cv * cv));
  const auto& z = deviates();
  std::vector<double> times(static_cast<std::size_t>(images));
  double sum = 0;
  for (std::size_t i = 0; i < times.size(); ++i) sum += times[i] = std::exp(spread * z[i % count]);
  for (double& time : times) time *= image_s * static_cast<double>(images) / sum;
  return makespan_s(times, workers);
}

}  // namespace feedtune
