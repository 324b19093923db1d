#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "device/step_times.hpp"
#include "virtual_fixture.hpp"

using namespace feedtune;
using feedtune::testing::us;
using feedtune::testing::VirtualFixture;

TEST(StepTimes, GivenPointsAreKeptAndBetweenThemTimeIsAffine) {
  const std::vector<StepTime> times = {{85, 64}, {150, 128}, {270, 256}};
  EXPECT_EQ(step_time_at(times, 64), us(85'000));
  EXPECT_EQ(step_time_at(times, 128), us(150'000));
  EXPECT_EQ(step_time_at(times, 256), us(270'000));
  EXPECT_EQ(step_time_at(times, 96), us(117'500));
  EXPECT_EQ(step_time_at(times, 192), us(210'000));
}

TEST(StepTimes, BeyondThePointsTheLastLineGoesOn) {
  const std::vector<StepTime> times = {{85, 64}, {150, 128}};  // 20 ms + 65/64 ms an image
  EXPECT_EQ(step_time_at(times, 256), us(280'000));
  EXPECT_EQ(step_time_at(times, 32), us(52'500));
  EXPECT_EQ(step_time_at(times, 1), us(21'015.625));
}

TEST(StepTimes, OnePointScalesWithTheBatch) {
  const std::vector<StepTime> times = {{80, 64}};
  EXPECT_EQ(step_time_at(times, 64), us(80'000));
  EXPECT_EQ(step_time_at(times, 128), us(160'000));
  EXPECT_EQ(step_time_at(times, 1), us(1'250));
}

TEST(StepTimes, ASuperlinearOrFallingSeriesNeverGivesATimeThatIsZeroOrTooShort) {
  const std::vector<StepTime> superlinear = {{10, 64}, {100, 128}};
  EXPECT_EQ(step_time_at(superlinear, 32), us(5'000)) << "in proportion: the line would be below zero";
  const std::vector<StepTime> falling = {{100, 64}, {90, 128}};
  EXPECT_EQ(step_time_at(falling, 2048), us(90'000));
}

RC_GTEST_PROP(StepTimes, AnyStepTakesTime, ()) {
  std::vector<StepTime> times;
  int batch = 0;
  const auto count = *rc::gen::inRange(1, 6);
  for (int i = 0; i < count; ++i) {
    batch += *rc::gen::inRange(1, 200);
    times.push_back({.step_ms = *rc::gen::inRange(1, 100'000) * 0.01, .batch_size = batch});
  }
  RC_ASSERT(step_time_at(times, *rc::gen::inRange(1, 4096)) > Nanoseconds{0});
}

TEST(StepTimes, AUsersStepIsOneBlockOnTheDevicesTimeline) {
  VirtualFixture f;
  const std::vector<StepTime> times = {{85, 64}};
  timed_work(*f.device)->occupy(*f.stream, step_time_at(times, 64));
  EXPECT_EQ(f.end_of(*f.stream), us(5 + 1 + 85'000));
}
