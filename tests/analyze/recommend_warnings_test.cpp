// What a recommendation warns of, the gravest first.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/recommend.hpp"
#include "run_builder.hpp"

using namespace feedtune;
using namespace feedtune::testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Recommend, BadImagesAndSkippedFoldersAreWarnedOfWithAnExample) {
  RunBuilder b;
  b.confirm(make(pooled_2), blocks(1000, 4));
  b.run.data.notes = {"skipped 2 folders that cannot be read: Permission denied (first: b/)", "EXIF orientation: ignored"};
  b.run.trials[1].images = {.decoded = 90, .damaged = 30, .failed = 10};
  b.run.trials[1].files = {{"c/cut.jpg", "damaged: Premature end", 2}, {"c/empty.jpg", "failed: empty file", 1}, {"c/slow.jpg", "slow", 9}};
  const auto warnings = recommend(b.run, {}).warnings;
  EXPECT_THAT(warnings, Contains("of the data were skipped 2 folders that cannot be read: Permission denied (first: b/)"));
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("10 % of the images"), HasSubstr("(first: c/empty.jpg: failed: empty file)"))));
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("30 % of the images"), HasSubstr("(first: c/cut.jpg: damaged: Premature end)"))));
  EXPECT_THAT(warnings, Not(Contains(HasSubstr("EXIF"))));
}

TEST(Recommend, WhyNothingWorkedIsSaidBeforeWhatElseIsWrongWithTheData) {
  RunBuilder b;
  b.fail(make(pooled_2), TrialStatus::out_of_memory, "out of device memory: asked for 9 bytes");
  b.run.data.notes = {"skipped 1 links that lead nowhere (first: x)"};
  const auto warnings = recommend(b.run, {}).warnings;
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_THAT(warnings[0], HasSubstr("no trial worked"));
}

TEST(Recommend, AnAverageThatHidesADeviceIdleAndAtFullUseByTurnsIsWarnedOf) {
  RunBuilder b;
  b.confirm(make(pooled_2), blocks(1000, 4));
  b.confirm(make({.workers = 8}), blocks(400, 4));
  b.run.spec.current = make({.workers = 8});
  int swung = 0;
  for (TrialResult& t : b.run.trials) {
    t.measured_s = 14.4;
    t.measured_steps = 84;  // 8.4 a period
    if (t.configuration == make({.workers = 8}) && ++swung <= 3)
      t.oscillation = Oscillation{.period_s = 1.44, .duty = 0.36, .low = 0, .high = 0.96, .periods = 4.0 + swung, .waiting = 0.92,
                                  .copying = 0, .ready_low = 0, .ready_high = 3};
  }
  const auto warnings = recommend(b.run, {}).warnings;
  EXPECT_THAT(warnings, Contains(AllOf(HasSubstr("with the current settings the device's use swings between 0 % and 96 % every 1.4 s"),
                                       HasSubstr("(high for 36 % of the time)"),
                                       HasSubstr("92 % of its idle time the training thread waits for a batch"),
                                       HasSubstr("one round of the 8 workers"))));
  EXPECT_THAT(warnings, Not(Contains(HasSubstr("with the recommended settings"))));
  for (TrialResult& t : b.run.trials) t.measured_steps = 30;
  EXPECT_THAT(recommend(b.run, {}).warnings, AllOf(Contains(HasSubstr("swings")), Not(Contains(HasSubstr("one round")))));
  swung = 0;
  for (TrialResult& t : b.run.trials)
    if (t.oscillation && ++swung <= 2) t.oscillation.reset();
  EXPECT_THAT(recommend(b.run, {}).warnings, Not(Contains(HasSubstr("swings")))) << "in one trial of four only";
}
