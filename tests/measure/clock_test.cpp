#include "measure/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>

using namespace feedtune;
using namespace std::chrono_literals;

TEST(Clock, SteadyWaitsReturnAtTheirDeadlineNotBefore) {
  SteadyClock clock;
  auto deadline = clock.now() + 3ms;
  clock.sleep_until(deadline);
  EXPECT_GE(clock.now(), deadline);
  deadline = clock.now() + 1ms;
  clock.spin_until(deadline);
  EXPECT_GE(clock.now(), deadline);
  const auto before = clock.now();
  clock.sleep_until(before - 10s);
  EXPECT_LT(clock.now() - before, 5s);
}

TEST(Clock, ManualTimeMovesOnlyForwardAndOnlyWhenTold) {
  ManualClock clock(5s);
  EXPECT_EQ(clock.now(), 5s);
  clock.sleep_until(8s);
  EXPECT_EQ(clock.now(), 8s);
  clock.spin_until(6s);
  EXPECT_EQ(clock.now(), 8s);
  clock.advance(500ms);
  EXPECT_EQ(clock.now(), 8500ms);
  EXPECT_DOUBLE_EQ(to_s(clock.now()), 8.5);
  EXPECT_DOUBLE_EQ(to_ms(500us), 0.5);
}
