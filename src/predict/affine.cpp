#include "predict/affine.hpp"

#include <cassert>

namespace feedtune {

Line fit_line(std::span<const double> x, std::span<const double> y) {
  assert(!x.empty() && x.size() == y.size());
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (y[i] * y[i]);
    w += weight;
    wx += weight * x[i];
    wy += weight * y[i];
    wxx += weight * x[i] * x[i];
    wxy += weight * x[i] * y[i];
  }
  const double mean_x = wx / w, mean_y = wy / w;
  double spread = 0, covariance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (y[i] * y[i]);
    spread += weight * (x[i] - mean_x) * (x[i] - mean_x);
    covariance += weight * (x[i] - mean_x) * (y[i] - mean_y);
  }
  // One x alone: in proportion to it.
  const double slope = spread > 0 ? covariance / spread : mean_y / mean_x;
  if (slope <= 0) return {.fixed = mean_y, .slope = 0};
  const double fixed = mean_y - slope * mean_x;
  if (fixed < 0) return {.fixed = 0, .slope = wxy / wxx};
  return {.fixed = fixed, .slope = slope};
}

}  // namespace feedtune
