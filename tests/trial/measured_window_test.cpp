#include "trial/measured_window.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace feedtune;

namespace {

/// Feeds steps of given lengths (ms), 64 images each, one after the other.
class Feeder {
 public:
  explicit Feeder(MeasuredWindow& window) : window_(window) {}
  void step(double ms, int ready = 2) {
    StepTimes t;
    const Nanoseconds length{static_cast<std::int64_t>(ms * 1e6)};
    t.copy_begin = t.copy_end = t.begin = now_;
    t.forward_end = now_ + length / 2;
    t.backward_end = t.end = now_ + length;
    t.images = 64;
    now_ = t.end;
    window_.add(t, ready);
  }

 private:
  MeasuredWindow& window_;
  Nanoseconds now_{1'000'000};
};

TrialTarget target(double min_s, double max_s) {
  TrialTarget t;
  t.min_time_s = min_s;
  t.max_time_s = max_s;
  return t;
}

}  // namespace

TEST(WindowRule, BatchesMadeAheadAreLeftOutAndEachWorkerGivesThreeMore) {
  LoaderSetup setup;
  setup.kind = LoaderKind::batch_per_worker;
  setup.num_workers = 8;
  const auto rule = make_window_rule(setup, 16, Purpose::trial);
  EXPECT_EQ(rule.fill_steps, 16 + 2);
  EXPECT_EQ(rule.least_steps, 24);
  EXPECT_EQ(rule.multiple, 8);
}

TEST(MeasuredWindow, CountersThatStartWhenItIsFilledCoverEveryCountedStep) {
  for (const std::int64_t fill : {0, 1, 2, 18}) {
    WindowRule rule;
    rule.fill_steps = fill;
    MeasuredWindow window(target(0.1, 5), rule);
    Feeder feed(window);
    int host_steps = 0;  // what a counter of the host sees that starts where the trial starts its own
    for (int i = 0; i < 40; ++i) {
      const bool counting = window.filled();
      feed.step(10);
      host_steps += counting ? 1 : 0;
      EXPECT_EQ(window.steps(), host_steps) << "fill " << fill << ", step " << i;
    }
    EXPECT_EQ(window.images(), 64 * host_steps);
  }
}

TEST(MeasuredWindow, AQueueThatWasFullAtTheStartDoesNotCountAsThroughput) {
  WindowRule rule;
  rule.fill_steps = 18;
  rule.least_steps = 24;
  MeasuredWindow window(target(0.1, 5), rule);
  Feeder feed(window);
  for (int i = 0; i < 18; ++i) feed.step(1);  // served from the queue
  for (int i = 0; i < 60; ++i) feed.step(20);
  TrialResult result;
  window.summarise(result, true, true);
  ASSERT_TRUE(result.images_per_s);
  EXPECT_NEAR(result.images_per_s->mean, 64 / 0.020, 1e-6);
  EXPECT_EQ(result.phases.at("step").count, result.measured_steps);
  EXPECT_NEAR(result.phases.at("step").mean, 20, 1e-9);
  EXPECT_NEAR(result.phases.at("forward").mean, 10, 1e-9);
}

TEST(MeasuredWindow, WorkersThatDeliverInBurstsAreCountedInWholeRounds) {
  // Eight workers started together: seven batches follow at once, the eighth step waits for the next round.
  WindowRule rule;
  rule.fill_steps = 2;
  rule.least_steps = 24;
  rule.multiple = 8;
  MeasuredWindow window(target(0.1, 5), rule);
  Feeder feed(window);
  for (int i = 0; i < 2; ++i) feed.step(5);
  for (int i = 0; i < 8 * 9 + 3; ++i) feed.step(i % 8 == 0 ? 80 : 1);
  TrialResult result;
  window.summarise(result, true, true);
  ASSERT_TRUE(result.images_per_s);
  EXPECT_EQ(result.measured_steps % 8, 0);
  EXPECT_NEAR(result.images_per_s->mean, 64.0 * 8 / 0.087, 1e-6);
}

TEST(MeasuredWindow, TooFewStepsAreSaidToBeTooFew) {
  WindowRule rule;
  rule.fill_steps = 4;
  rule.least_steps = 10;
  MeasuredWindow window(target(0.001, 0.002), rule);
  Feeder feed(window);
  for (int i = 0; i < 13; ++i) feed.step(50);
  EXPECT_EQ(window.steps(), 9);
  EXPECT_TRUE(window.too_short());
  EXPECT_EQ(window.stop_reason(), std::nullopt) << "time is up, but the trial has to go on";
  feed.step(50);
  EXPECT_FALSE(window.too_short());
  EXPECT_TRUE(window.stop_reason());
}

TEST(MeasuredWindow, StopsEarlyOnlyWhenTheIntervalIsNarrow) {
  WindowRule rule;
  rule.fill_steps = 2;
  MeasuredWindow steady(target(0.5, 100), rule), noisy(target(0.5, 3), rule);
  Feeder feed_steady(steady), feed_noisy(noisy);
  std::optional<std::string> steady_stop, noisy_stop;
  for (int i = 0; i < 400 && !steady_stop; ++i) {
    feed_steady.step(10 + 0.01 * (i % 3));
    steady_stop = steady.stop_reason();
  }
  unsigned random = 12345;
  for (int i = 0; i < 4000 && !noisy_stop; ++i) {
    random = random * 1664525U + 1013904223U;
    feed_noisy.step((random >> 16) % 8 == 0 ? 200 : 2);
    noisy_stop = noisy.stop_reason();
  }
  EXPECT_EQ(steady_stop, "interval");
  EXPECT_LT(steady.seconds(), 1.5);
  EXPECT_EQ(noisy_stop, "time");
}

TEST(MeasuredWindow, WhatIsStillWarmingUpAtTheEndOfItsTimeIsNoSteadyState) {
  WindowRule rule;
  rule.fill_steps = 2;
  MeasuredWindow falling(target(0.5, 3), rule), late(target(0.5, 3), rule);
  Feeder feed_falling(falling), feed_late(late);
  std::optional<std::string> stop;
  for (int i = 0; i < 400 && !stop; ++i) {
    feed_falling.step(60 - 0.5 * i + 0.2 * (i % 3));
    stop = falling.stop_reason();
  }
  EXPECT_EQ(stop, "time");
  ASSERT_TRUE(falling.unsteady_reason());
  EXPECT_NE(falling.unsteady_reason()->find("still falling"), std::string::npos) << *falling.unsteady_reason();
  for (int i = 0; i < 60; ++i) feed_late.step((i < 45 ? 40 : 20) + 0.2 * (i % 3));
  ASSERT_TRUE(late.unsteady_reason());
  EXPECT_NE(late.unsteady_reason()->find("changed by -4"), std::string::npos) << *late.unsteady_reason();
}

TEST(MeasuredWindow, AWarmUpThatIsCutOffLeavesASteadyState) {
  WindowRule rule;
  rule.fill_steps = 2;
  MeasuredWindow window(target(0.5, 3), rule);
  Feeder feed(window);
  for (int i = 0; i < 100; ++i) feed.step((i < 20 ? 60 : 20) + 0.2 * (i % 3));
  EXPECT_EQ(window.unsteady_reason(), std::nullopt) << *window.unsteady_reason();
}

TEST(MeasuredWindow, AQueueThatRunsEmptyIsCorrectedForAndNotAWarmUp) {
  // Steps of 20 ms while eight batches that are ready carry the device, then the loader's 27 ms.
  WindowRule rule;
  rule.fill_steps = 2;
  MeasuredWindow window(target(0.5, 3), rule);
  Feeder feed(window);
  int ready = 8;
  for (int i = 0; i < 60; ++i) {
    if (i % 4 == 3 && ready > 0) --ready;  // in four steps of 20 ms the loader makes three batches
    feed.step((ready > 0 ? 20 : 27) + 0.05 * (i % 3), ready);
  }
  EXPECT_EQ(window.unsteady_reason(), std::nullopt) << *window.unsteady_reason();
  MeasuredWindow heating(target(0.5, 3), rule);
  Feeder feed_heating(heating);
  for (int i = 0; i < 60; ++i) feed_heating.step((i < 32 ? 20 : 27) + 0.05 * (i % 3), 4);
  EXPECT_TRUE(heating.unsteady_reason()) << "a queue that stays full doesn't explain longer steps";
}

TEST(MeasuredWindow, KeepsAtMostTwoThousandStepsAsSamples) {
  WindowRule rule;
  MeasuredWindow window(target(0.1, 1), rule);
  Feeder feed(window);
  for (int i = 0; i < 5000; ++i) feed.step(1.5);
  TrialResult result;
  window.summarise(result, true, true);
  EXPECT_EQ(result.step_us.size(), 2000u);
  EXPECT_EQ(result.step_us.back(), 1500);
}

namespace {

/// As the trial does it.
TrialResult summary_of(const MeasuredWindow& window) {
  TrialResult result;
  window.summarise(result, true, true);
  result.oscillation = window.oscillation(result.unknown);
  return result;
}

/// Bursts of eight steps of 20 ms with batches at hand, then nothing for 340 ms in which the training thread waits for data.
TrialResult bursts_of_eight(double wait_ms, double copy_ms) {
  WindowRule rule;
  MeasuredWindow window(target(0.1, 30), rule);
  Nanoseconds now{1'000'000};
  const auto ms = [](double value) { return Nanoseconds{static_cast<std::int64_t>(value * 1e6)}; };
  for (int i = 0; i < 160; ++i) {
    const bool first = i % 8 == 0;
    StepTimes t;
    if (first) {
      t.data_wait = ms(wait_ms);
      t.h2d_host = ms(copy_ms);
      now += ms(340);
    }
    t.copy_begin = t.copy_end = t.begin = now;
    t.forward_end = now + ms(8);
    t.backward_end = t.end = now + ms(20);
    t.images = 64;
    now = t.end;
    window.add(t, first ? 0 : 4);
  }
  return summary_of(window);
}

}  // namespace

TEST(MeasuredWindow, ADeviceThatWorksInBurstsIsNamedWithWhatTheGapsWereSpentOn) {
  const TrialResult waits = bursts_of_eight(306, 0);
  ASSERT_TRUE(waits.oscillation);
  EXPECT_NEAR(waits.oscillation->period_s, 0.5, 0.06);
  EXPECT_NEAR(waits.oscillation->duty, 0.32, 0.08);
  EXPECT_NEAR(waits.oscillation->waiting.value(), 0.9, 0.001);
  EXPECT_EQ(waits.oscillation->copying.value(), 0);
  EXPECT_EQ(waits.oscillation->ready_low, 0);
  EXPECT_EQ(waits.oscillation->ready_high, 4);
  EXPECT_FALSE(waits.unknown.contains("oscillation"));
  const TrialResult copies = bursts_of_eight(34, 340);
  EXPECT_NEAR(copies.oscillation.value().waiting.value(), 0.1, 0.001);
  EXPECT_NEAR(copies.oscillation->copying.value(), 0.9, 0.001) << "never more than the device was idle";
}

TEST(MeasuredWindow, StepsThatEachWaitForTheirBatchDoNotSwing) {
  for (const int jitter : {0, 3, 40}) {
    MeasuredWindow window(target(0.1, 90), WindowRule{});
    Nanoseconds now{1'000'000};
    for (int i = 0; i < 100; ++i) {
      StepTimes t;
      now += std::chrono::milliseconds(350 + i * 7919 % 31 * jitter / 31);
      t.copy_begin = t.copy_end = t.begin = now;
      t.forward_end = now + std::chrono::milliseconds(50);
      t.backward_end = t.end = now + std::chrono::milliseconds(150);
      t.images = 64;
      now = t.end;
      window.add(t, 0);
    }
    const TrialResult result = summary_of(window);
    EXPECT_NEAR(result.device_busy.value(), 0.3, 0.02);
    EXPECT_FALSE(result.oscillation) << jitter << ": one busy and one idle part in each step of half a second";
  }
}

TEST(MeasuredWindow, ASteadyDeviceDoesNotSwingAndAShortWindowSaysThatItCannotTell) {
  MeasuredWindow window(target(0.1, 30), WindowRule{});
  Feeder feed(window);
  for (int i = 0; i < 200; ++i) feed.step(i % 2 == 0 ? 19 : 21);
  const TrialResult steady = summary_of(window);
  EXPECT_FALSE(steady.oscillation);
  EXPECT_FALSE(steady.unknown.contains("oscillation"));
  MeasuredWindow brief(target(0.1, 30), WindowRule{});
  Feeder feed_brief(brief);
  for (int i = 0; i < 20; ++i) feed_brief.step(2);
  EXPECT_TRUE(summary_of(brief).unknown.contains("oscillation"));
  EXPECT_TRUE(summary_of(MeasuredWindow(target(0.1, 30), WindowRule{})).unknown.contains("oscillation")) << "no step at all";
}
