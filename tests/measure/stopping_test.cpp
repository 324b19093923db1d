#include "measure/stopping.hpp"

#include <gtest/gtest.h>

using namespace feedtune;

namespace {

const TrialTarget target{.min_time_s = 1, .max_time_s = 3, .relative_half_width = 0.02};

Interval around(double mean, double relative_half_width, std::int64_t n) {
  return {.mean = mean, .low = mean * (1 - relative_half_width), .high = mean * (1 + relative_half_width), .n = n};
}

}  // namespace

TEST(Stopping, ANarrowIntervalEndsTheTrialEarly) {
  EXPECT_EQ(stop_reason(target, {.measured_s = 1.5, .images_per_s = around(500, 0.019, 20)}), StopReason::interval);
  EXPECT_EQ(to_text(StopReason::interval), "interval");
}

TEST(Stopping, AWideOneRunsToTheEndOfItsTime) {
  EXPECT_EQ(stop_reason(target, {.measured_s = 2.9, .images_per_s = around(500, 0.03, 20)}), std::nullopt);
  EXPECT_EQ(stop_reason(target, {.measured_s = 3.0, .images_per_s = around(500, 0.03, 20)}), StopReason::time);
  EXPECT_EQ(to_text(StopReason::time), "time");
}

TEST(Stopping, NothingEndsBeforeTheMinimalTimeOrTheMinimalSteps) {
  EXPECT_EQ(stop_reason(target, {.measured_s = 0.9, .images_per_s = around(500, 0.001, 50)}), std::nullopt);
  EXPECT_EQ(stop_reason(target, {.measured_s = 1.5, .images_per_s = around(500, 0.001, 50), .steps = 20, .steps_at_least = 24}),
            std::nullopt);
}

TEST(Stopping, FewValuesThatAgreeByChanceAreNotBelieved) {
  EXPECT_EQ(stop_reason(target, {.measured_s = 1.5, .images_per_s = around(500, 0.0, 1)}), std::nullopt);
  EXPECT_EQ(stop_reason(target, {.measured_s = 1.5, .images_per_s = around(500, 0.001, 9)}), std::nullopt);
  EXPECT_EQ(stop_reason(target, {.measured_s = 1.5, .images_per_s = {}}), std::nullopt);
}

TEST(Stopping, LooksAreFewAndReachBothEnds) {
  int looks = 0;
  double at = 0;
  while (at < target.max_time_s && looks < 100) {
    const double next = next_look_s(target, at);
    ASSERT_GT(next, at);
    at = next;
    ++looks;
  }
  EXPECT_EQ(next_look_s(target, 0), 1);
  EXPECT_EQ(at, 3);
  EXPECT_LE(looks, 8);
}

TEST(TooShort, TheQueuesFillAndThreeBatchesAWorkerAreNeeded) {
  // The article's case: 32 workers, two batches ahead each.
  const LoaderDepth depth{.workers = 32, .queue_batches = 64};
  EXPECT_EQ(minimum_trial_steps(depth), 64 + 96);
  EXPECT_TRUE(too_short_reason(depth, 159, 159).has_value());
  EXPECT_EQ(too_short_reason(depth, 160, 96), std::nullopt);
  EXPECT_TRUE(too_short_reason(depth, 400, 95).has_value()) << "a long warm-up leaves too little";
}

TEST(TooShort, LoadingInTheTrainingThreadCountsAsOneWorker) {
  const LoaderDepth depth{.workers = 0, .queue_batches = 0};
  EXPECT_EQ(minimum_trial_steps(depth), 3);
  EXPECT_TRUE(too_short_reason(depth, 2, 2).has_value());
  EXPECT_EQ(too_short_reason(depth, 3, 3), std::nullopt);
}

TEST(WindowBias, BatchesThatWereReadyAtTheStartAreNotCounted) {
  // A producer of 10 batches/s, a window of 4 s that began with 8 ready and ended with none: 48 consumed, 40 made.
  const WindowStock stock{.consumed = 48, .ready_at_start = 8, .ready_at_end = 0};
  EXPECT_DOUBLE_EQ(sustained_share(stock), 40.0 / 48);
  const auto corrected = corrected_for_stock({.mean = 12 * 64, .low = 11 * 64, .high = 13 * 64, .n = 12}, stock);
  EXPECT_DOUBLE_EQ(corrected.mean, 10 * 64);
  EXPECT_LT(corrected.low, corrected.mean);
  EXPECT_EQ(corrected.n, 12);
}

TEST(WindowBias, AStockThatStaysOrGrowsChangesNothing) {
  EXPECT_EQ(sustained_share({.consumed = 40, .ready_at_start = 8, .ready_at_end = 8}), 1);
  EXPECT_EQ(sustained_share({.consumed = 40, .ready_at_start = 0, .ready_at_end = 8}), 1);
  EXPECT_EQ(sustained_share({.consumed = 0, .ready_at_start = 8, .ready_at_end = 0}), 1);
  EXPECT_EQ(sustained_share({.consumed = 4, .ready_at_start = 8, .ready_at_end = 0}), 0) << "all of it was ready";
}
