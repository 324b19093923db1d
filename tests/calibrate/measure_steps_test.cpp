// From trials to curves, with a runner whose steps are known.

#include "calibrate/measure_steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "calibrate/fit_steps.hpp"
#include "model/model.hpp"
#include "trial/training_loop.hpp"

using namespace feedtune;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

/// forward 1 ms + 0.1 ms an image, backward twice that, update 0.5 ms; memory 5 % above the planner's; each trial costs what it was given and half
/// a second.
class KnownSteps final : public TrialRunner {
 public:
  std::function<void(const TrialRequest&, TrialResult&)> change = [](const TrialRequest&, TrialResult&) {};
  std::vector<int> asked;  ///< batch sizes in the order of the trials
  double now = 100;

  TrialResult run(const TrialRequest& request, const OnProgress&) override {
    const int batch = request.setup.loader.batch_size;
    asked.push_back(batch);
    TrialResult result;
    result.measured_s = std::min(request.target.max_time_s, request.time_limit_s);
    result.cost_s = result.measured_s + 0.5;
    now += result.cost_s;
    result.phases["forward"].mean = 1 + 0.1 * batch;
    result.phases["backward"].mean = 2 + 0.2 * batch;
    result.phases["update"].mean = 0.5;
    result.memory.device_peak_bytes =
        static_cast<std::int64_t>(1.05 * static_cast<double>(planned_device_bytes(model_preset(request.setup.step.model), request.setup.data.image_size, batch, request.setup.step.precision,
                                                       request.setup.loader.input_type, input_buffers(request.setup.step.transfer))));
    change(request, result);
    return result;
  }
  double now_s() const override { return now; }
};

StepsRequest request_of(double seconds) {
  StepsRequest request;
  request.models = {"mixer-pico"};
  request.precisions = {Precision::fp32};
  request.batch_sizes = {4, 8, 16, 32};
  request.image_size = 32;
  request.end_s = 100 + seconds;
  return request;
}

const std::function<void(const std::string&)> quiet = [](const std::string&) {};

std::vector<StepCurve> curves_of(const MeasuredSteps& steps, std::vector<std::string>& notes) {
  ProfileInput input;
  input.origin = "a test";
  input.steps = steps;
  input.rates.launch_us = {5};
  return fit_steps(input, notes);
}

}  // namespace

TEST(MeasureSteps, ALineIsFoundAndJudgedByABatchThatItHasNotSeen) {
  KnownSteps runner;
  const MeasuredSteps steps = measure_steps(runner, request_of(60), quiet);
  std::vector<std::string> notes;
  const auto curves = curves_of(steps, notes);
  ASSERT_EQ(curves.size(), 1u);
  const StepCurve& curve = curves[0];
  EXPECT_EQ(curve.points.size(), 4u);
  EXPECT_NEAR(curve.forward.fixed, 1, 1e-9);
  EXPECT_NEAR(curve.forward.slope, 0.1, 1e-9);
  EXPECT_NEAR(curve.backward.fixed, 2, 1e-9);
  EXPECT_NEAR(curve.backward.slope, 0.2, 1e-9);
  EXPECT_NEAR(curve.update.fixed, 0.5, 1e-9);
  ASSERT_TRUE(curve.hold_out);
  EXPECT_EQ(curve.hold_out->at, 12);
  EXPECT_NEAR(curve.hold_out->measured, 3.5 + 0.3 * 12, 1e-9);
  EXPECT_NEAR(curve.hold_out->misfit, 0, 1e-6);
  EXPECT_FALSE(curve.interpolated);
  EXPECT_TRUE(notes.empty());
  EXPECT_NEAR(curve.memory_misfit, 1 / 1.05 - 1, 1e-4) << "the planner against what the runner took";
  const auto planned = [](int batch) { return static_cast<double>(planned_device_bytes(model_preset("mixer-pico"), 32, batch, Precision::fp32, InputType::uint8, 1)); };
  EXPECT_NEAR(curve.memory.at(1000) / planned(1000), 1.05, 0.02) << "m0 + m1 B";
}

TEST(MeasureSteps, AStepThatIsNoLineIsInterpolatedAndTheMisfitOfBothIsStored) {
  KnownSteps runner;
  runner.change = [](const TrialRequest& request, TrialResult& result) {
    if (request.setup.loader.batch_size > 8) result.phases["forward"].mean *= 2;  // a tile more
  };
  std::vector<std::string> notes;
  const auto curves = curves_of(measure_steps(runner, request_of(60), quiet), notes);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_TRUE(curves[0].interpolated);
  EXPECT_GT(std::abs(curves[0].hold_out->line_misfit), line_misfit_limit);
  // Half-way between batch 8 and 16: mean of (1.8 + 3.6 + 0.5) and (5.2 + 5.2 + 0.5), against 4.4 + 4.4 + 0.5 measured at 12.
  EXPECT_NEAR(curves[0].hold_out->misfit, ((1.8 + 3.6 + 0.5) + (5.2 + 5.2 + 0.5)) / 2 / 9.3 - 1, 1e-6);
}

TEST(MeasureSteps, WhereTheHostIsTheLimitItsSpeedIsNotTakenForTheDevices) {
  KnownSteps runner;
  runner.change = [](const TrialRequest& request, TrialResult& result) {
    if (request.setup.loader.batch_size <= 4) result.phases["forward"].mean += 5;  // 4.7 ms of work, 10 ms until it was queued
  };
  StepsRequest request = request_of(60);
  request.batch_sizes = {4, 32, 64, 128};
  ProfileInput input;
  input.origin = "a test";
  input.steps = measure_steps(runner, request, quiet);
  input.rates.launch_us = {5};
  input.submitted = {{.model = "mixer-pico", .precision = Precision::fp32, .image_size = 32, .batch_size = 4}};
  input.rates.submit_ms = {{9.7}};
  std::vector<std::string> notes;
  const auto curves = fit_steps(input, notes);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_NEAR(curves[0].forward.fixed, 1, 1e-6);
  EXPECT_NEAR(curves[0].forward.slope, 0.1, 1e-6);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("at batch size 4 the step takes no longer than this host needs to submit it (9.7 ms)")));
}

TEST(MeasureSteps, RoundsGoUpAndDownSoThatADriftIsNoSlope) {
  KnownSteps runner;
  measure_steps(runner, request_of(30), quiet);
  EXPECT_THAT(runner.asked, ElementsAre(4, 8, 12, 16, 32, 32, 16, 12, 8, 4, 4, 8, 12, 16, 32));
}

TEST(MeasureSteps, OutOfMemoryAtTheLargestBatchEndsTheCurveWithANote) {
  KnownSteps runner;
  runner.change = [](const TrialRequest& request, TrialResult& result) {
    if (request.setup.loader.batch_size < 32) return;
    result.status = TrialStatus::out_of_memory;
    result.reason = "no 32";
  };
  const MeasuredSteps steps = measure_steps(runner, request_of(60), quiet);
  EXPECT_EQ(std::count(runner.asked.begin(), runner.asked.end(), 32), 1) << "not tried again";
  EXPECT_THAT(steps.notes, ElementsAre("mixer-pico fp32 batch_size 32: out_of_memory: no 32"));
  std::vector<std::string> notes;
  const auto curves = curves_of(steps, notes);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].points.back().batch_size, 16);
}

TEST(MeasureSteps, AboveABatchThatRanOutOfMemoryNothingIsTried) {
  KnownSteps runner;
  runner.change = [](const TrialRequest& request, TrialResult& result) {
    if (request.setup.loader.batch_size >= 16) result.status = TrialStatus::out_of_memory;
  };
  measure_steps(runner, request_of(60), quiet);
  EXPECT_THAT(runner.asked, ::testing::Not(Contains(32)));
}

TEST(MeasureSteps, APrecisionThatTheDeviceLacksIsAskedForOnceAndLeftOut) {
  KnownSteps runner;
  runner.change = [](const TrialRequest& request, TrialResult& result) {
    if (request.setup.step.precision != Precision::tf32) return;
    result.status = TrialStatus::unsupported;
    result.reason = "no tf32 here";
  };
  StepsRequest request = request_of(60);
  request.precisions = {Precision::tf32, Precision::fp32};
  const MeasuredSteps steps = measure_steps(runner, request, quiet);
  std::vector<std::string> notes;
  const auto curves = curves_of(steps, notes);
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].precision, Precision::fp32);
  EXPECT_THAT(steps.notes, ElementsAre(HasSubstr("no tf32 here")));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("mixer-pico in tf32: left out: 0 of its batch sizes")));
}

TEST(MeasureSteps, NoTrialGoesOnBeyondTheTimeAndWhatIsMissingIsSaid) {
  for (const double seconds : {5.0, 12.0, 30.0}) {
    KnownSteps runner;
    const MeasuredSteps steps = measure_steps(runner, request_of(seconds), quiet);
    EXPECT_LE(runner.now, 100 + seconds + 0.5 + 0.1) << "a trial's own start-up is all that may be over";
    EXPECT_EQ(steps.notes.empty(), runner.asked.size() >= 15) << seconds;
  }
  KnownSteps runner;
  measure_steps(runner, request_of(1000), quiet);
  EXPECT_EQ(runner.asked.size(), 25u) << "five rounds are enough";
  EXPECT_LE(runner.now, 100 + 25 * (1.5 + 0.5));
}

TEST(MeasureSteps, AStopEndsItAtOnce) {
  KnownSteps runner;
  runner.change = [](const TrialRequest&, TrialResult& result) {
    result.status = TrialStatus::invalid;
    result.stop_reason = "interrupted";
  };
  measure_steps(runner, request_of(60), quiet);
  EXPECT_EQ(runner.asked.size(), 1u);
}

TEST(HeldOutBatch, LiesBetweenTheTwoInTheMiddle) {
  EXPECT_EQ(held_out_batch({16, 64, 128, 256}), 96);
  EXPECT_EQ(held_out_batch({16, 32, 64, 128, 256}), 48);
  EXPECT_EQ(held_out_batch({1, 2, 3, 4}), 0) << "no room";
}
