// Rules about the copy and the step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain_run.hpp"

using namespace feedtune;
using namespace feedtune::testing;
using ::testing::HasSubstr;

TEST(ExplainDevice, ABusyDeviceIsTheLimitAndNoLoaderSettingIsBlamed) {
  ExplainRun run;
  EXPECT_EQ(run.primary(), "device_bound");
  EXPECT_NEAR(run.finding("device_bound")->share, 0.99, 1e-12);
  EXPECT_EQ(run.explained().findings.size(), 1u) << run.explained().findings.back().rule;
  EXPECT_TRUE(run.waits(0.1).finding("device_bound"));
  EXPECT_FALSE(run.waits(0.1001).finding("device_bound"));
}

TEST(ExplainDevice, ACopyThatNothingHidesIsNamedWithItsMilliseconds) {
  ExplainRun run;
  ExplainRun::phases(run.trial(), {{"h2d", 40}, {"h2d_exposed", 35}, {"data_wait", 0}, {"device_idle", 0}});
  EXPECT_EQ(run.primary(), "copy_bound");
  EXPECT_NEAR(run.finding("copy_bound")->share, 0.35, 1e-12);
  EXPECT_THAT(run.finding("copy_bound")->evidence[1], HasSubstr("40 ms a step, 35 ms of it exposed"));
  ExplainRun::phases(run.trial(), {{"h2d_exposed", 5}});
  EXPECT_TRUE(run.finding("copy_bound"));
  ExplainRun::phases(run.trial(), {{"h2d_exposed", 4.99}});
  EXPECT_FALSE(run.finding("copy_bound"));
}

TEST(ExplainDevice, AHostThatStandsInTheCopyCallIsCopyingNotLoading) {
  ExplainRun run({.memory = "pageable"});
  ExplainRun::phases(run.trial(), {{"data_wait", 2}, {"device_idle", 30}, {"h2d_host", 25}, {"h2d_exposed", 10}});
  EXPECT_NEAR(run.explained().copying_share, 0.35, 1e-12) << "10 exposed, and 25 of the 28 that aren't waiting for a batch";
  EXPECT_NEAR(run.explained().waiting_share, 0.05, 1e-12);
}

TEST(ExplainDevice, APinThreadThatIsNeverIdleIsTheCopysLimit) {
  ExplainRun run;
  run.waits(0.5);
  ExplainRun::phases(run.trial(), {{"pin", 90}});
  EXPECT_EQ(run.primary(), "copy_bound");
  EXPECT_FALSE(run.finding("decode_bound"));
  ExplainRun::phases(run.trial(), {{"pin", 89.9}});
  EXPECT_EQ(run.primary(), "decode_bound");
}
