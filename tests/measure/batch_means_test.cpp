#include "measure/batch_means.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "measure/series.hpp"
#include "measure/statistics.hpp"

using namespace feedtune;

namespace {

/// Share of 95 % intervals that hold the true mean, over many series.
template <class Make>
double coverage(int series, double truth, Make interval_of_seed) {
  int held = 0;
  for (int seed = 1; seed <= series; ++seed) {
    const Interval interval = interval_of_seed(static_cast<std::uint64_t>(seed));
    held += interval.low <= truth && truth <= interval.high;
  }
  return static_cast<double>(held) / series;
}

double coverage_of_autoregressive(double rho, std::size_t steps) {
  return coverage(600, 1.0, [&](std::uint64_t seed) {
    return interval_of_series(SeriesMaker(seed).autoregressive(steps, 1.0, 0.05, rho));
  });
}

}  // namespace

TEST(BatchMeans, IndependentStepsStayUnbatchedOrNearly) {
  const auto batches = batch_means(SeriesMaker(3).autoregressive(2000, 1, 0.1, 0));
  EXPECT_EQ(batches.size, 1u);
  EXPECT_TRUE(batches.independent);
}

TEST(BatchMeans, CorrelatedStepsAreBatchedUntilTheMeansAreNot) {
  const auto batches = batch_means(SeriesMaker(3).autoregressive(4000, 1, 0.1, 0.9));
  EXPECT_GE(batches.size, 8u);
  EXPECT_GE(batches.means.size(), 10u);
  EXPECT_TRUE(batches.independent);
  EXPECT_LT(std::abs(batches.lag1), 0.2);
}

TEST(BatchMeans, FewerThanTenMeansAreNeverLeft) {
  std::vector<double> ramp(100);
  std::iota(ramp.begin(), ramp.end(), 0.0);  // correlated at every batch size
  const auto batches = batch_means(ramp);
  EXPECT_EQ(batches.size, 8u);
  EXPECT_EQ(batches.means.size(), 12u);
  EXPECT_FALSE(batches.independent);
}

TEST(BatchMeans, BatchesAreWholeRoundsOfTheWorkers) {
  std::vector<double> rounds;
  for (int i = 0; i < 400; ++i) rounds.push_back(i % 8 == 0 ? 9.0 : 1.0);
  const auto batches = batch_means(rounds, 8);
  EXPECT_EQ(batches.size % 8, 0u);
  for (const double value : batches.means) EXPECT_DOUBLE_EQ(value, 2);
  EXPECT_DOUBLE_EQ(standard_error(batches), 0) << "the pattern of a round is no noise";
}

TEST(BatchMeans, IntervalsOfCorrelatedStepsHoldTheTruthAboutAsOftenAsTheySay) {
  // 600 series: the standard error of a coverage of 0.95 is 0.9 %.
  EXPECT_GT(coverage_of_autoregressive(0.0, 300), 0.92);
  EXPECT_GT(coverage_of_autoregressive(0.7, 300), 0.90);
  EXPECT_GT(coverage_of_autoregressive(0.9, 1000), 0.90);
  EXPECT_LT(coverage_of_autoregressive(0.0, 300), 0.985) << "wide enough to hold anything is no use";
  EXPECT_LT(coverage_of_autoregressive(0.7, 300), 0.99);
}

TEST(BatchMeans, IgnoringTheCorrelationWouldPromiseTooMuch) {
  const double naive = coverage(600, 1.0, [](std::uint64_t seed) {
    return interval_of_mean(SeriesMaker(seed).autoregressive(300, 1.0, 0.05, 0.9));
  });
  EXPECT_LT(naive, 0.6);
}

TEST(Throughput, IsImagesOverTimeNotTheMeanOfRates) {
  // 10 steps of 1 s and 10 of 3 s, 60 images each: 1200 images in 40 s.
  std::vector<double> steps;
  for (int i = 0; i < 20; ++i) steps.push_back(i % 2 == 0 ? 1 : 3);
  const auto interval = interval_of_ratio(std::vector<double>(steps.size(), 60), steps);
  EXPECT_DOUBLE_EQ(interval.mean, 30);
  EXPECT_LE(interval.low, 30);
  EXPECT_GE(interval.high, 30);
}

TEST(Throughput, SpreadOfTheStepsBecomesSpreadOfTheRate) {
  // Independent steps of 1 s +- 5 %: the rate's relative half width is t * 0.05 / sqrt(400) = 0.0049.
  const auto interval = interval_of_ratio(std::vector<double>(400, 64), SeriesMaker(5).autoregressive(400, 1, 0.05, 0));
  EXPECT_NEAR(interval.mean, 64, 64 * 0.0075);
  const double half = (interval.high - interval.low) / 2 / interval.mean;
  EXPECT_GT(half, 0.004);
  EXPECT_LT(half, 0.008);
}

TEST(Throughput, FailedImagesAreLeftOutOfTheRate) {
  const std::vector<double> seconds = {1, 1, 1, 1};
  const auto interval = interval_of_ratio(std::vector<double>{64, 64, 62, 64}, seconds);
  EXPECT_DOUBLE_EQ(interval.mean, 63.5);
  EXPECT_EQ(interval_of_ratio({}, {}).n, 0);
}

TEST(BlockBootstrap, AgreesWithBatchMeansOnACorrelatedSeries) {
  const auto values = SeriesMaker(11).autoregressive(3000, 1, 0.05, 0.7);
  const auto batches = interval_of_series(values);
  const auto bootstrap = block_bootstrap(values, 50, 2000, 1);
  EXPECT_DOUBLE_EQ(bootstrap.mean, batches.mean);
  const double ratio = (bootstrap.high - bootstrap.low) / (batches.high - batches.low);
  EXPECT_GT(ratio, 0.7);
  EXPECT_LT(ratio, 1.3);
}

TEST(BlockBootstrap, TheSameSeedGivesTheSameInterval) {
  const auto values = SeriesMaker(2).autoregressive(200, 1, 0.1, 0.5);
  const auto first = block_bootstrap(values, 10, 500, 7);
  const auto second = block_bootstrap(values, 10, 500, 7);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_NE(first.low, block_bootstrap(values, 10, 500, 8).low);
}

TEST(BlockBootstrap, AConstantSeriesHasNoSpread) {
  const auto interval = block_bootstrap(std::vector<double>(50, 3.0), 5, 200, 1);
  EXPECT_DOUBLE_EQ(interval.low, 3);
  EXPECT_DOUBLE_EQ(interval.high, 3);
}
