#include "predict/delivery.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

using namespace feedtune;

namespace {

/// Brute force: every way to hand the images, in order, to the first free worker, second by second.
double stepped_makespan(const std::vector<double>& image_s, int workers) {
  std::vector<double> left(static_cast<std::size_t>(workers), 0.0);
  std::size_t next = 0;
  double now = 0;
  for (;;) {
    for (double& seconds : left)
      if (seconds <= 1e-12 && next < image_s.size()) seconds = image_s[next++];
    double soonest = 0;
    for (const double seconds : left)
      if (seconds > 1e-12 && (soonest == 0 || seconds < soonest)) soonest = seconds;
    if (soonest == 0) return now;
    now += soonest;
    for (double& seconds : left) seconds = std::max(0.0, seconds - soonest);
  }
}

}  // namespace

TEST(BatchInterval, WithoutSpreadIsTheSlowestOfWorkersPinThreadAndTrainingThread) {
  EXPECT_NEAR(batch_interval_s({.workers = 4, .tokens = 8, .load_s = 0.4, .consume_s = 0.03}), 0.1, 1e-3);
  EXPECT_NEAR(batch_interval_s({.workers = 4, .tokens = 8, .load_s = 0.4, .consume_s = 0.2}), 0.2, 1e-9);
  EXPECT_NEAR(batch_interval_s({.workers = 4, .tokens = 8, .load_s = 0.4, .serial_s = 0.3, .consume_s = 0.2}), 0.3, 1e-3);
}

TEST(BatchInterval, OneTokenMakesLoadingAndTakingAlternate) {
  // One slot: its batch is loaded after the one before was taken, while that is consumed.
  EXPECT_NEAR(batch_interval_s({.workers = 1, .tokens = 1, .load_s = 0.1, .consume_s = 0.06}), 0.1, 1e-3);
}

TEST(BatchInterval, SpreadCostsAndMoreBatchesAheadWinSomeOfItBack) {
  Delivery d{.workers = 8, .tokens = 8, .load_s = 0.8, .load_cv = 0.4, .consume_s = 0.1};
  const double one = batch_interval_s(d);
  d.tokens = 32;
  const double four = batch_interval_s(d);
  EXPECT_GT(one, 1.05 * 0.1) << "METHOD.md 2.3: at balanced rates a slow batch blocks the ready ones behind it";
  EXPECT_LT(four, one);
  EXPECT_GE(four, 0.1 * 0.99);
}

TEST(Makespan, IsWhatHandingOutImageByImageTakes) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> image_s(1 + random() % 40);
    for (double& seconds : image_s) seconds = 0.001 * static_cast<double>(1 + random() % 30);
    const int workers = 1 + static_cast<int>(random() % 9);
    EXPECT_NEAR(makespan_s(image_s, workers), stepped_makespan(image_s, workers), 1e-9);
  }
}

TEST(Makespan, OfEqualImagesIsTheNumberOfRounds) {
  EXPECT_NEAR(makespan_s(10, 4, 0.01, 0), 0.03, 1e-12);
  EXPECT_NEAR(makespan_s(64, 1, 0.01, 0.8), 0.64, 1e-9) << "one worker: the sum";
  EXPECT_GT(makespan_s(64, 8, 0.01, 0.8), 0.08) << "the last images are waited for";
}
