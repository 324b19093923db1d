#include "predict/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace feedtune;

namespace {

/// 21 points along one axis.
std::vector<GpPoint> line_of_points() {
  std::vector<GpPoint> points;
  for (int i = 0; i <= 20; ++i) points.push_back({i / 20.0});
  return points;
}

std::vector<GpObservation> observed(const std::vector<GpPoint>& points, std::size_t every) {
  std::vector<GpObservation> all;
  for (std::size_t i = 0; i < points.size(); i += every)
    all.push_back({.point = i, .order = static_cast<double>(all.size() + 1), .value = 0.3 * std::sin(3 * points[i][0]), .least_variance = 0});
  return all;
}

}  // namespace

TEST(GaussianProcess, OfOneObservationIsTheTextbooksFormula) {
  GaussianProcess process({GpAxis{}}, {{0.0}, {0.5}}, 0.2);
  process.observe({{.point = 0, .order = 1, .value = 0.1, .least_variance = 0}}, 0);
  const GpScales& s = process.scales();
  const double r = std::sqrt(5.0) * 0.5 / s.reach[0];
  const double shared = s.level * s.level + s.smooth * s.smooth * (1 + r + r * r / 3) * std::exp(-r);
  const double alone = s.level * s.level + s.smooth * s.smooth + s.rough * s.rough;
  const double total = alone + s.drift * s.drift + s.noise * s.noise;
  const auto beliefs = process.beliefs();
  EXPECT_NEAR(beliefs[0].mean, alone / total * 0.1, 1e-12);
  EXPECT_NEAR(beliefs[0].sd, std::sqrt(alone - alone * alone / total), 1e-9);
  EXPECT_NEAR(beliefs[1].mean, shared / total * 0.1, 1e-12);
  EXPECT_NEAR(beliefs[1].sd, std::sqrt(alone - shared * shared / total), 1e-9);
  EXPECT_NEAR(process.evidence(), -0.5 * (0.01 / total + std::log(total) + std::log(2 * 3.14159265358979)), 2) << "and the scales' prior";
}

TEST(GaussianProcess, KnowsWhatLiesBetweenAndDoubtsWhatLiesBeyond) {
  const auto points = line_of_points();
  GaussianProcess process({GpAxis{}}, points, 0.2);
  process.observe(observed(points, 2), 30);
  const auto beliefs = process.beliefs();
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(beliefs[i].mean, 0.3 * std::sin(3 * points[i][0]), 0.03) << i;
  GaussianProcess half({GpAxis{}}, points, 0.2);
  auto left = observed(points, 2);
  left.resize(4);
  half.observe(left, 0);
  EXPECT_GT(half.beliefs()[20].sd, 2 * half.beliefs()[3].sd);
}

TEST(GaussianProcess, FittingTheScalesNeverMakesTheEvidenceLess) {
  const auto points = line_of_points();
  GaussianProcess process({GpAxis{}}, points, 0.2);
  process.observe(observed(points, 1), 0);
  const double before = process.evidence();
  process.observe(observed(points, 1), 30);
  EXPECT_GT(process.evidence(), before);
}

TEST(GaussianProcess, OneSpikeIsDoubtedAndMovesItsNeighboursLittle) {
  const auto points = line_of_points();
  auto values = observed(points, 1);
  GaussianProcess clean({GpAxis{}}, points, 0.2), spiked({GpAxis{}}, points, 0.2);
  clean.observe(values, 20);
  values[10].value -= 0.3;
  spiked.observe(values, 20);
  EXPECT_GT(spiked.doubts()[10], 5);
  EXPECT_NEAR(spiked.beliefs()[9].mean, clean.beliefs()[9].mean, 0.03);
  EXPECT_NEAR(spiked.beliefs()[10].mean, clean.beliefs()[10].mean, 0.06);
}

TEST(GaussianProcess, JointBeliefHasTheSinglesMeansAndSpreads) {
  const auto points = line_of_points();
  GaussianProcess process({GpAxis{}}, points, 0.2);
  process.set_features(std::vector<std::vector<double>>(points.size(), {0.1, -0.2}));
  process.observe(observed(points, 4), 10);
  const std::vector<std::size_t> some = {1, 7, 20};
  const auto joint = process.joint(some);
  const auto beliefs = process.beliefs();
  for (std::size_t a = 0; a < some.size(); ++a) {
    double variance = 0;
    for (std::size_t b = 0; b <= a; ++b) variance += joint.factor[a * 3 + b] * joint.factor[a * 3 + b];
    EXPECT_NEAR(joint.mean[a], beliefs[some[a]].mean, 1e-9);
    EXPECT_NEAR(std::sqrt(variance), beliefs[some[a]].sd, 1e-4);
  }
}
