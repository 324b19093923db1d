#include "device/step_curve.hpp"

#include <gtest/gtest.h>

#include "virtual_fixture.hpp"

using namespace feedtune;
using feedtune::testing::us;
using feedtune::testing::VirtualFixture;

namespace {

/// forward 1 ms + 0.1 ms an image, backward twice that, update 0.5 ms; the points are off the lines by `bend` at batch 8.
StepCurve curve(double bend = 0) {
  StepCurve made;
  made.model = "mixer-pico";
  made.precision = Precision::fp16;
  made.image_size = 32;
  made.forward = {1, 0.1};
  made.backward = {2, 0.2};
  made.update = {0.5, 0};
  for (const int batch : {4, 8, 16})
    made.points.push_back({.batch_size = batch,
                           .forward_ms = made.forward.at(batch) + (batch == 8 ? bend : 0),
                           .backward_ms = made.backward.at(batch),
                           .update_ms = 0.5,
                           .low_ms = 0,
                           .high_ms = 0,
                           .device_bytes = 0});
  return made;
}

}  // namespace

TEST(StepCurve, AtAnyBatchSizeItIsOnItsLines) {
  for (const int batch : {1, 2, 4, 6, 16, 1000}) {
    const StepParts parts = step_parts_at(curve(99), batch);
    EXPECT_EQ(parts.forward, us(1000 + 100 * batch)) << batch << ": points off the line are not looked at";
    EXPECT_EQ(parts.backward, us(2000 + 200 * batch)) << batch;
    EXPECT_EQ(parts.update, us(500)) << batch;
    EXPECT_EQ(parts.total(), us(3500 + 300 * batch)) << batch;
  }
}

TEST(StepCurve, WhereTheLinesMissItGoesThroughThePointsAndBeyondThemByTheLinesSlopes) {
  StepCurve bent = curve(0.4);
  bent.interpolated = true;
  const auto forward = [&](int batch) { return step_parts_at(bent, batch).forward; };
  EXPECT_EQ(forward(4), us(1400));
  EXPECT_EQ(forward(8), us(2200));
  EXPECT_EQ(forward(16), us(2600));
  EXPECT_EQ(forward(6), us((1400 + 2200) / 2.0)) << "half-way between two points";
  EXPECT_EQ(forward(32), us(2600 + 16 * 100));
  EXPECT_EQ(forward(2), us(1400 - 2 * 100));
  for (int batch = 1; batch < 64; ++batch) EXPECT_LE(forward(batch), forward(batch + 1)) << "points that grow give times that grow";
}

TEST(StepCurve, BelowItsPointsAStepStillTakesTime) {
  StepCurve steep = curve();
  steep.interpolated = true;
  steep.forward = {0, 5};  // 5 ms an image down from 1.4 ms at 4 would be below zero
  EXPECT_EQ(step_parts_at(steep, 1).forward, us(1400 / 4.0)) << "in proportion to the first point";
}

TEST(StepCurve, OnlyTheStepThatWasMeasuredIsReplayed) {
  TrialSetup setup;
  setup.profile = feedtune::testing::round_profile();
  setup.profile->steps = {curve()};
  setup.step.model = "mixer-pico";
  setup.step.precision = Precision::fp16;
  setup.data.image_size = 32;
  EXPECT_NE(measured_step(setup), nullptr);
  for (const auto& change : {+[](TrialSetup& s) { s.step.model = "mixer-nano"; }, +[](TrialSetup& s) { s.step.precision = Precision::fp32; },
                             +[](TrialSetup& s) { s.data.image_size = 64; }, +[](TrialSetup& s) { s.step.times = {{85, 64}}; },
                             +[](TrialSetup& s) { s.profile.reset(); }}) {
    TrialSetup other = setup;
    change(other);
    EXPECT_EQ(measured_step(other), nullptr);
  }
}

TEST(StepCurve, ALargerInputTakesLongerToRead) {
  TrialSetup setup;
  setup.profile = feedtune::testing::round_profile();  // memory: 100 bytes a nanosecond
  setup.data.image_size = 32;
  setup.loader.batch_size = 100;
  const StepCurve measured = curve();
  setup.loader.input_type = InputType::uint8;
  const StepParts parts = step_parts_of(setup, measured);
  EXPECT_EQ(parts.total(), step_parts_at(measured, 100).total()) << "as it was measured";
  setup.loader.input_type = InputType::float32;
  EXPECT_EQ((step_parts_of(setup, measured).forward - parts.forward).count(), 3 * 3 * 32 * 32 * 100 / 100) << "three more bytes a value";
  EXPECT_EQ(step_parts_of(setup, measured).backward, parts.backward);
}

TEST(StepCurve, AReplayedPartTakesJustItsTimeWhileTheHostSubmits) {
  VirtualFixture f;  // launch 5 us, gap 1 us
  const Nanoseconds before = f.clock->now();
  timed_work(*f.device)->replay(*f.stream, us(300), us(80));
  EXPECT_EQ(f.clock->now() - before, us(80)) << "the host is busy for so long";
  EXPECT_EQ(f.end_of(*f.stream), us(5 + 300)) << "the device begins with the first launch, and no gap is added";
  timed_work(*f.device)->replay(*f.stream, us(100), us(2));
  EXPECT_EQ(f.clock->now() - before, us(80 + 5)) << "one launch is the least";
  EXPECT_EQ(f.end_of(*f.stream), us(5 + 300 + 100));
}
