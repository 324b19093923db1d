#include "predict/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace feedtune;

TEST(LeastSquares, FindsTheBottomOfRosenbrocksValley) {
  const auto valley = [](const std::vector<double>& p) { return std::vector<double>{10 * (p[1] - p[0] * p[0]), 1 - p[0]}; };
  const auto found = least_squares(valley, {-1.2, 1}, {.steps = 200, .plain = 2, .least = {}, .most = {}});
  EXPECT_NEAR(found[0], 1, 1e-3);
  EXPECT_NEAR(found[1], 1, 1e-3);
}

TEST(LeastSquares, OneOutlierDoesNotDragARobustMeanAndBoundsHold) {
  const auto residuals = [](const std::vector<double>& p) {
    std::vector<double> r;
    for (const double value : {1.0, 1.1, 0.9, 1.0, 1.05, 50.0}) r.push_back((value - p[0]) / 0.1);
    return r;
  };
  EXPECT_NEAR(least_squares(residuals, {5}, {.steps = 100, .plain = 0, .least = {}, .most = {}})[0], 1.05, 0.1);
  EXPECT_NEAR(least_squares(residuals, {5}, {.steps = 100, .plain = 0, .least = {2}, .most = {9}})[0], 2, 1e-9);
}
