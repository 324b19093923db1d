#include "trial/step_log.hpp"

#include <gtest/gtest.h>

using namespace feedtune;

namespace {

StepTimes times(long copy_begin, long copy_end, long begin, long forward_end, long backward_end, long end) {
  StepTimes t;
  t.copy_begin = Nanoseconds{copy_begin};
  t.copy_end = Nanoseconds{copy_end};
  t.begin = Nanoseconds{begin};
  t.forward_end = Nanoseconds{forward_end};
  t.backward_end = Nanoseconds{backward_end};
  t.end = Nanoseconds{end};
  return t;
}

}  // namespace

TEST(StepPhases, AHiddenCopyLeavesNoExposedTimeAndNoIdle) {
  // The copy ran while the step before was computed; this step begins at that one's end.
  const auto p = phases_of(times(50, 90, 100, 130, 180, 200), Nanoseconds{100});
  EXPECT_EQ(p.step.count(), 100);
  EXPECT_EQ(p.h2d.count(), 40);
  EXPECT_EQ(p.h2d_exposed.count(), 0);
  EXPECT_EQ(p.device_idle.count(), 0);
  EXPECT_EQ(p.forward.count() + p.backward.count() + p.update.count(), 100);
  EXPECT_EQ(p.busy.count(), 100);
}

TEST(StepPhases, WaitingForDataIsIdleAndTheCopyAfterItIsExposed) {
  // Device done at 100, batch arrives at 160, copy 160..200, compute 200..300.
  const auto p = phases_of(times(160, 200, 200, 240, 290, 300), Nanoseconds{100});
  EXPECT_EQ(p.step.count(), 200);
  EXPECT_EQ(p.h2d_exposed.count(), 40);
  EXPECT_EQ(p.device_idle.count(), 60);
  EXPECT_EQ(p.busy.count(), 140);
}

TEST(StepPhases, ACopyThatIsHalfHiddenCountsOnlyWhatSticksOut) {
  const auto p = phases_of(times(80, 120, 120, 150, 180, 200), Nanoseconds{100});
  EXPECT_EQ(p.h2d.count(), 40);
  EXPECT_EQ(p.h2d_exposed.count(), 20);
  EXPECT_EQ(p.device_idle.count(), 0);
}
