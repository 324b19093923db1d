#include "predict/scaling.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "predict/least_squares.hpp"

namespace feedtune {
namespace {

constexpr double point_sd = 0.02;
constexpr double sigma_sd = 0.05, kappa_sd = 0.001, smt_sd = 0.15, crowding_sd = 0.1;

}  // namespace

double Scaling::cores_used(double workers, const Cores& cores) const {
  const double used = std::min(workers, cores.physical) + smt * std::max(0.0, std::min(workers, cores.logical) - cores.physical);
  return used * (1 - crowding * std::clamp(workers / cores.logical - 1, 0.0, 2.0));
}

double Scaling::speedup(double workers, const Cores& cores) const {
  const double g = cores_used(workers, cores);
  return g / (1 + sigma * (g - 1) + kappa * g * (g - 1));
}

ScalingFit fit_scaling(std::span<const ScalingPoint> points, const Cores& cores) {
  assert(!points.empty());
  const Scaling usual;
  const auto residuals = [&](const std::vector<double>& p) {
    const Scaling scaling{.sigma = p[1], .kappa = p[2], .smt = p[3], .crowding = p[4]};
    std::vector<double> r;
    for (const ScalingPoint& point : points)
      r.push_back((std::log(point.images_per_s) - p[0] - std::log(scaling.speedup(point.workers, cores))) / point_sd);
    r.push_back((p[1] - usual.sigma) / sigma_sd);
    r.push_back((p[2] - usual.kappa) / kappa_sd);
    r.push_back((p[3] - usual.smt) / smt_sd);
    r.push_back((p[4] - usual.crowding) / crowding_sd);
    return r;
  };
  const double single = std::log(points[0].images_per_s / usual.speedup(points[0].workers, cores));
  const std::vector<double> fitted = least_squares(residuals, {single, usual.sigma, usual.kappa, usual.smt, usual.crowding},
                                                   {.steps = 60, .plain = 4, .least = {-50, 0, 0, 0, 0}, .most = {50, 0.5, 0.02, 1, 0.45}});
  return {.single_images_per_s = std::exp(fitted[0]),
          .scaling = {.sigma = fitted[1], .kappa = fitted[2], .smt = fitted[3], .crowding = fitted[4]}};
}

double under_roof(double rate, double roof) { return rate / std::pow(1 + std::pow(rate / roof, 4), 0.25); }

}  // namespace feedtune
