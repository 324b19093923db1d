// A mean of 40 % may be a device that is idle and at full use by turns: the swing is found with its period, and noise, drift, single
// stalls and the step's own rhythm are not taken for one.

#include "measure/oscillation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace feedtune {
namespace {

Nanoseconds seconds(double s) { return Nanoseconds{static_cast<std::int64_t>(s * 1e9)}; }

/// Busy for `duty` of each period; the lengths of periods vary by `jitter` (standard deviation of their logarithm).
std::vector<UseSpan> bursts(double length_s, double period_s, double duty, double jitter, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<UseSpan> spans;
  for (double t = 0; t < length_s;) {
    const double period = period_s * std::exp(jitter * normal(random));
    spans.push_back({seconds(t), seconds(t + duty * period), 1});
    t += period;
  }
  return spans;
}

/// Mean 0.5, standard deviation 0.35, first-order autoregressive, cut off at 0 and 1.
std::vector<double> noise(std::size_t n, double phi, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<double> x;
  double value = 0.35 * normal(random);
  for (std::size_t i = 0; i < n; ++i) {
    x.push_back(std::clamp(0.5 + value, 0.0, 1.0));
    value = phi * value + 0.35 * std::sqrt(1 - phi * phi) * normal(random);
  }
  return x;
}

}  // namespace

TEST(Oscillation, ASeriesHoldsTheBusyTimeOfItsSpans) {
  const std::vector<UseSpan> spans = {{seconds(-1), seconds(0.5), 1}, {seconds(1), seconds(1.25), 0.5}, {seconds(1.75), seconds(9), 1}};
  const UseSeries use = use_of(spans, seconds(0), seconds(2));
  EXPECT_EQ(use.share.size(), 100u) << "20 ms each";
  EXPECT_NEAR(use.bin_s, 0.02, 1e-12);
  double busy = 0;
  for (const double share : use.share) busy += share * use.bin_s;
  EXPECT_NEAR(busy, 0.5 + 0.5 * 0.25 + 0.25, 1e-9);
  EXPECT_EQ(use.share[24], 1);
  EXPECT_EQ(use.share[25], 0);
  EXPECT_NEAR(use.share[55], 0.5, 1e-9);
  EXPECT_EQ(use_of({}, seconds(0), seconds(1000)).share.size(), 4096u);
  EXPECT_TRUE(use_of({}, seconds(1), seconds(1)).share.empty());
}

TEST(Oscillation, PeriodAndDutyOfBurstsAreTheBursts) {
  for (const double period : {0.25, 0.6, 1.9, 4.0})
    for (const double duty : {0.15, 0.4, 0.8}) {
      const double length = 12 * period;
      const auto found = find_oscillation(use_of(bursts(length, period, duty, 0, 1), seconds(0), seconds(length)), period / 8);
      ASSERT_TRUE(found) << period << " " << duty;
      EXPECT_NEAR(found->period_s, period, 0.13 * period) << duty;  // a lag is at best 1 of 4 to 16 bins
      EXPECT_NEAR(found->duty, duty, 0.1) << period;
      EXPECT_LE(found->low, 0.05);
      EXPECT_GE(found->high, 0.95);
      EXPECT_NEAR(found->periods, 12, 1.6);
    }
}

TEST(Oscillation, ThePatternOfTheArticleSampledAsNvmlDoesIsFound) {
  std::vector<double> at_s, share;
  const double pattern[] = {0, 0.2, 0.7, 0.95, 0};
  for (int i = 0; i < 60; ++i) {
    at_s.push_back(0.5 * i);
    share.push_back(pattern[i % 5]);
  }
  const auto found = find_oscillation(use_of_samples(at_s, share), 0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->period_s, 2.5, 0.01);
  EXPECT_NEAR(found->duty, 0.4, 0.02);
  EXPECT_EQ(found->low, 0);
  EXPECT_NEAR(found->high, 0.95, 1e-9);
}

TEST(Oscillation, BurstsThatVaryByATenthAreFoundInNearlyEveryWindowOfTenPeriods) {
  int found = 0;
  for (unsigned seed = 0; seed < 100; ++seed)
    found += find_oscillation(use_of(bursts(10, 1, 0.4, 0.1, seed), seconds(0), seconds(10)), 0.125).has_value() ? 1 : 0;
  EXPECT_GE(found, 90);
}

TEST(Oscillation, NoiseIsTakenForASwingInFewerThanOneWindowOfAHundred) {
  std::mt19937 random(7);
  int alarms = 0, windows = 0;
  for (const std::size_t n : {30u, 60u, 150u, 400u, 1000u})
    for (const double phi : {0.0, 0.5, 0.8, 0.95})
      for (int i = 0; i < 100; ++i, ++windows) alarms += find_oscillation({0.1, noise(n, phi, random)}, 0).has_value() ? 1 : 0;
  EXPECT_EQ(windows, 2000);
  EXPECT_LE(alarms, 19);
}

TEST(Oscillation, OneStallTwoStallsDriftAndASteadyUseAreNone) {
  std::vector<double> steady(200, 0.6), stall(200, 1.0), two(200, 1.0), drift;
  std::fill(stall.begin() + 80, stall.begin() + 100, 0.0);
  std::fill(two.begin() + 40, two.begin() + 48, 0.0);
  std::fill(two.begin() + 80, two.begin() + 88, 0.0);
  for (int i = 0; i < 200; ++i) drift.push_back(i / 200.0);
  for (const auto& share : {steady, stall, two, drift}) EXPECT_FALSE(find_oscillation({0.1, share}, 0));
  EXPECT_FALSE(find_oscillation({0.1, {0, 1, 0, 1, 0, 1}}, 0)) << "too short";
  EXPECT_FALSE(find_oscillation({0, {}}, 0));
  const std::vector<double> at_once(30, 1.0);
  EXPECT_FALSE(find_oscillation(use_of_samples(at_once, at_once), 0)) << "no time passed";
}

TEST(Oscillation, StepsThatTakeTurnsAreNone) {
  std::vector<double> turns;
  for (int i = 0; i < 100; ++i) turns.push_back(i % 6 < 3 ? 1.0 : 0.2);
  EXPECT_TRUE(find_oscillation({0.1, turns}, 0.1)) << "a period of six steps";
  EXPECT_FALSE(find_oscillation({0.1, turns}, 0.3)) << "of two";
}

TEST(Oscillation, HighPartsAreWhereTheBurstsAre) {
  const UseSeries use = use_of(bursts(10, 1, 0.5, 0, 1), seconds(0), seconds(10));
  const auto found = find_oscillation(use, 0.1);
  ASSERT_TRUE(found);
  const HighParts parts(use, *found);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(parts.high_at(i + 0.25)) << i;
    EXPECT_FALSE(parts.high_at(i + 0.75)) << i;
  }
}

}  // namespace feedtune
