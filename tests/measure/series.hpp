#pragma once
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

namespace feedtune {

/// Constructed series of step times with known properties. Normal deviates by Box-Muller from the standard's own
/// generator, so that a seed gives the same series everywhere.
class SeriesMaker {
 public:
  explicit SeriesMaker(std::uint64_t seed) : random_(seed) {}

  double normal() {
    const double u = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
    const double v = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }

  /// Stationary first-order autoregressive series: this mean, standard deviation and correlation of neighbours.
  std::vector<double> autoregressive(std::size_t n, double mean, double deviation, double rho) {
    std::vector<double> values(n);
    double state = normal();
    for (double& value : values) {
      value = mean + deviation * state;
      state = rho * state + std::sqrt(1 - rho * rho) * normal();
    }
    return values;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace feedtune
