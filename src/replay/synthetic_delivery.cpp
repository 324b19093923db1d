#include "replay/synthetic_delivery.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "replay/seeded_draw.hpp"

namespace feedtune {
namespace {

constexpr std::size_t measured = 192;
using Factors = std::array<double, measured>;

/// Load times over their mean, whose mean over the measured batches is 1.
Factors load_factors(double cv, std::uint64_t seed) {
  SeededDraw draw(seed, stream_of("delivery"));
  const double sd = std::sqrt(std::log1p(cv * cv));
  Factors factors{};
  for (double& factor : factors) factor = std::exp(sd * draw.normal());
  const double mean = std::accumulate(factors.begin(), factors.end(), 0.0) / measured;
  for (double& factor : factors) factor /= mean;
  return factors;
}

/// The value `back` places before the end of what there is; 0 before the first.
double before(const std::vector<double>& values, std::int64_t back) {
  const auto size = static_cast<std::int64_t>(values.size());
  return back <= size ? values[static_cast<std::size_t>(size - back)] : 0;
}

}  // namespace

double delivery_s(const SyntheticDelivery& d, std::uint64_t seed) {
  const Factors factors = load_factors(d.load_cv, seed);
  const std::int64_t ahead = d.workers == 0 ? 1 : d.in_order ? d.workers * d.ahead : d.ahead;
  const std::size_t fill = static_cast<std::size_t>(ahead + std::max<std::int64_t>(d.workers, 2));
  std::vector<double> loaded, ready, taken, done;  // by batch: when the worker is through, when it may be had, ...
  for (std::vector<double>* times : {&loaded, &ready, &taken, &done}) times->reserve(fill + measured);
  double host_s = 0;  // when the training thread is free
  for (std::size_t i = 0; i < fill + measured; ++i) {
    const double load_s = d.load_s * factors[i % measured];
    const double slot = before(taken, ahead);  // its slot is free again
    if (d.workers == 0) loaded.push_back(host_s + load_s);
    else loaded.push_back(std::max(before(loaded, d.in_order ? d.workers : 1), slot) + load_s);
    ready.push_back(std::max(loaded.back(), d.pin_s > 0 ? before(ready, 1) : 0) + d.pin_s);
    const double waited = before(done, d.wait_each ? 1 : 2);
    taken.push_back(std::max({host_s, ready.back(), waited}));
    host_s = taken.back() + d.host_copy_s;
    done.push_back(std::max(host_s, before(done, 1)) + d.exposed_copy_s + d.step_s);
  }
  return (done.back() - done[fill - 1]) / measured;
}

}  // namespace feedtune
