#include "predict/scaling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace feedtune;

TEST(Scaling, IsTheUniversalScalabilityLawOverTheCoresThatWorkersGet) {
  const Scaling law{.sigma = 0.05, .kappa = 0.002, .smt = 0.25, .crowding = 0.2};
  const Cores cores{.physical = 4, .logical = 8};
  EXPECT_DOUBLE_EQ(law.speedup(1, cores), 1);
  EXPECT_DOUBLE_EQ(law.speedup(4, cores), 4 / (1 + 0.05 * 3 + 0.002 * 4 * 3));
  const double g = 4 + 0.25 * 2;  // 6 workers: two of them on second threads
  EXPECT_DOUBLE_EQ(law.speedup(6, cores), g / (1 + 0.05 * (g - 1) + 0.002 * g * (g - 1)));
  EXPECT_DOUBLE_EQ(law.cores_used(16, cores), 5 * (1 - 0.2)) << "twice as many workers as threads";
}

TEST(Scaling, PeaksWhereTheLawSaysItDoes) {
  const Scaling law{.sigma = 0.1, .kappa = 0.01, .smt = 1, .crowding = 0};
  const Cores cores{.physical = 64, .logical = 64};
  int peak = 1;
  for (int workers = 1; workers <= 64; ++workers)
    if (law.speedup(workers, cores) > law.speedup(peak, cores)) peak = workers;
  EXPECT_NEAR(peak, std::sqrt((1 - 0.1) / 0.01), 1) << "METHOD.md 2.2: sqrt((1 - sigma) / kappa)";
}

TEST(FitScaling, FindsTheLawThatPointsCameFrom) {
  const Scaling truth{.sigma = 0.08, .kappa = 0.001, .smt = 0.2, .crowding = 0.15};
  const Cores cores{.physical = 8, .logical = 16};
  std::vector<ScalingPoint> points;
  for (const double workers : {1, 2, 4, 8, 12, 16, 32}) points.push_back({workers, 250 * truth.speedup(workers, cores)});
  const ScalingFit fit = fit_scaling(points, cores);
  EXPECT_NEAR(fit.single_images_per_s, 250, 5);
  for (const ScalingPoint& point : points)
    EXPECT_NEAR(fit.single_images_per_s * fit.scaling.speedup(point.workers, cores) / point.images_per_s, 1, 0.02) << point.workers;
}

TEST(FitScaling, OneSpikeAmongManyPointsMovesItLittleAndOnePointIsEnough) {
  const Scaling usual;
  const Cores cores{.physical = 8, .logical = 8};
  std::vector<ScalingPoint> points;
  for (const double workers : {1, 2, 3, 4, 6, 8}) points.push_back({workers, 100 * usual.speedup(workers, cores)});
  points[3].images_per_s *= 0.7;
  const ScalingFit fit = fit_scaling(points, cores);
  EXPECT_NEAR(fit.single_images_per_s * fit.scaling.speedup(8, cores) / points[5].images_per_s, 1, 0.03);
  const std::vector<ScalingPoint> one = {{4, 300}};
  const ScalingFit single = fit_scaling(one, cores);
  EXPECT_NEAR(single.single_images_per_s * single.scaling.speedup(4, cores), 300, 1);
}

TEST(UnderRoof, IsTheLowerOfTheTwoFarFromTheCornerAndTheFourthRootAtIt) {
  EXPECT_NEAR(under_roof(100, 1000), 100, 0.01);
  EXPECT_NEAR(under_roof(1000, 100), 100, 0.01);
  EXPECT_NEAR(under_roof(100, 100), 100 / std::pow(2, 0.25), 1e-9);
}
