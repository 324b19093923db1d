#include "measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "measure/student_t.hpp"

using namespace feedtune;

TEST(StudentT, QuantilesAreThoseOfThePublishedTables) {
  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, three decimals.
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 2), 4.303, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 30), 2.042, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.95, 5), 2.015, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.99, 10), 2.764, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.025, 9), -2.262, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 1e9), 1.960, 5e-4);
  EXPECT_NEAR(student_t_cdf(2.262, 9), 0.975, 1e-4);
}

TEST(Statistics, AHandComputedExample) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5);
  EXPECT_DOUBLE_EQ(moments(values).variance(), 32.0 / 7);
  EXPECT_DOUBLE_EQ(median(values), 4.5);
  EXPECT_DOUBLE_EQ(moments(std::vector<double>{3}).variance(), 0);
  EXPECT_DOUBLE_EQ(mean({}), 0);
}

TEST(Statistics, ASmallSpreadOnALargeMeanIsNotLost) {
  Moments nanoseconds;
  for (const double value : {4.0, 7.0, 13.0, 16.0}) nanoseconds.add(1e9 + value);
  EXPECT_DOUBLE_EQ(nanoseconds.variance(), 30);
}

TEST(Statistics, QuantilesInterpolateAsNumpyDoes) {
  // numpy.percentile([15, 20, 35, 40, 50], 40) == 29.0, and of [1, 2, 3, 4] at 95: 3.85
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{50, 15, 40, 20, 35}, 0.40), 29);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{1, 2, 3, 4}, 0.95), 3.85);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{1, 2, 3, 4}, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{7}, 0.99), 7);
}

TEST(Statistics, TheRobustDeviationIgnoresAnOutlier) {
  // |x - 3| = {2, 1, 0, 1, 97}: median 1
  EXPECT_DOUBLE_EQ(robust_deviation(std::vector<double>{1, 2, 3, 4, 100}), 1.4826);
}

TEST(Statistics, AutocorrelationOfAnAlternatingSeries) {
  const std::vector<double> alternating = {1, -1, 1, -1, 1, -1, 1, -1};
  EXPECT_DOUBLE_EQ(autocorrelation(alternating, 1), -7.0 / 8);
  EXPECT_DOUBLE_EQ(autocorrelation(alternating, 2), 6.0 / 8);
  EXPECT_DOUBLE_EQ(autocorrelation(std::vector<double>{5, 5, 5, 5}, 1), 0);
}

TEST(Statistics, TheIntervalOfAMeanIsStudents) {
  // mean 10, s = 2, n = 4: 10 +- 3.18245 * 2 / 2
  const double root = std::sqrt(3.0);
  const auto interval = interval_of_mean(std::vector<double>{10 - root, 10 + root, 10 - root, 10 + root});
  EXPECT_DOUBLE_EQ(interval.mean, 10);
  EXPECT_NEAR(interval.high, 10 + 3.18245, 1e-4);
  EXPECT_NEAR(interval.low, 10 - 3.18245, 1e-4);
  EXPECT_EQ(interval.n, 4);
  const auto one = interval_of_mean(std::vector<double>{10});
  EXPECT_EQ(one.low, one.high);
  EXPECT_EQ(one.n, 1);
}

TEST(Statistics, TheDetectableEffectIsThatOfTheMethodsTable) {
  // METHOD.md 2.5: alpha .05, power .8, block-difference sd 2 %.
  const std::pair<int, double> published[] = {{4, 4.2}, {6, 2.9}, {8, 2.3}, {12, 1.8}, {20, 1.3}};
  for (const auto& [n, percent] : published) EXPECT_NEAR(minimal_detectable_effect(2 / std::sqrt(n), n - 1), percent, 0.06) << n;
}
