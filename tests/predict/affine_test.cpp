#include "predict/affine.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

using namespace feedtune;

namespace {

/// What fit_line() is to make least: the sum of squared relative errors.
double cost(const Line& line, const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += std::pow((line.at(x[i]) - y[i]) / y[i], 2);
  return sum;
}

}  // namespace

RC_GTEST_PROP(FitLine, FindsTheLineThatPointsLieOn, ()) {
  const double fixed = *rc::gen::inRange(0, 1000) * 0.01, slope = *rc::gen::inRange(1, 1000) * 0.001;
  std::vector<double> x, y;
  for (int batch = 1, i = 0; i < 5; ++i, batch += *rc::gen::inRange(1, 100)) {
    x.push_back(batch);
    y.push_back(fixed + slope * batch);
  }
  const Line line = fit_line(x, y);
  RC_ASSERT(std::abs(line.fixed - fixed) < 1e-9 * (1 + fixed));
  RC_ASSERT(std::abs(line.slope - slope) < 1e-9);
}

RC_GTEST_PROP(FitLine, NoNeighbouringLineWithoutNegativePartsFitsBetter, ()) {
  std::vector<double> x, y;
  for (int i = 1; i <= 4; ++i) {
    x.push_back(i * i);
    y.push_back(*rc::gen::inRange(1, 1000) * 0.1);
  }
  const Line line = fit_line(x, y);
  RC_ASSERT(line.fixed >= 0);
  RC_ASSERT(line.slope >= 0);
  const double least = cost(line, x, y);
  for (const double da : {-1e-3, 0.0, 1e-3})
    for (const double db : {-1e-3, 0.0, 1e-3}) {
      const Line other{std::max(0.0, line.fixed + da), std::max(0.0, line.slope + db)};
      RC_ASSERT(cost(other, x, y) >= least - 1e-12);
    }
}

TEST(FitLine, TimeThatFallsWithTheBatchIsAConstant) {
  const std::vector<double> x = {1, 2, 3}, y = {3, 2, 1};
  const Line line = fit_line(x, y);
  EXPECT_EQ(line.slope, 0);
  EXPECT_NEAR(line.fixed, (1.0 / 3 + 1.0 / 2 + 1) / (1.0 / 9 + 1.0 / 4 + 1), 1e-12) << "sum of w y / sum of w with w = 1 / y^2";
}

TEST(FitLine, ALineThatWouldMeetZeroBeforeTheBatchDoesGoesThroughTheOrigin) {
  const std::vector<double> x = {1, 10, 20}, y = {0.5, 10, 30};
  const Line line = fit_line(x, y);
  EXPECT_EQ(line.fixed, 0);
  EXPECT_GT(line.slope, 0);
}
