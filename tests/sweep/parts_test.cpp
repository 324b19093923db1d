// The parts of the loop, each by itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "sweep/components.hpp"
#include "sweep/drift.hpp"
#include "sweep/dry_run.hpp"
#include "sweep/fake_sweep.hpp"
#include "sweep/trial_length.hpp"

using namespace feedtune;

namespace {

std::vector<std::int64_t> integers(const std::vector<TrialRequest>& requests, Purpose purpose, const std::string& axis) {
  std::set<std::int64_t> values;
  for (const TrialRequest& request : requests)
    if (request.purpose == purpose) values.insert(request.configuration.integer(axis).value());
  return {values.begin(), values.end()};
}

TrialResult reference(double rate, double relative_sd, int order) {
  TrialResult result;
  result.images_per_s = Interval{rate, rate * (1 - 1.96 * relative_sd), rate * (1 + 1.96 * relative_sd), 20};
  result.order = order;
  return result;
}

int alarms(const std::vector<double>& rates, double own_sd) {
  DriftMonitor monitor;
  int count = 0;
  for (std::size_t i = 0; i < rates.size(); ++i)
    if (monitor.tell(reference(rates[i], own_sd, static_cast<int>(i)))) ++count;
  return count;
}

}  // namespace

TEST(Components, EachPartIsMeasuredAloneOverWhatItDependsOn) {
  const SweepPlan plan = fake_plan();
  const auto requests = component_requests(plan.space, plan.header.spec);
  EXPECT_EQ(integers(requests, Purpose::loader_only, "num_workers"), (std::vector<std::int64_t>{1, 4}));
  EXPECT_EQ(integers(requests, Purpose::loader_only, "batch_size"), (std::vector<std::int64_t>{16}));
  EXPECT_EQ(integers(requests, Purpose::step_only, "batch_size"), (std::vector<std::int64_t>{16, 32, 64, 128}));
  EXPECT_EQ(integers(requests, Purpose::copy_only, "batch_size"), (std::vector<std::int64_t>{16, 32, 64, 128}));
  // 1 loader x 2 worker counts, 4 steps, 4 copies x 2 kinds of memory.
  EXPECT_EQ(requests.size(), 2u + 4u + 8u);

  SpaceContext cpu = fake_context();
  cpu.device.name = "cpu";
  cpu.device.copies = false;
  cpu.device.precisions = {"fp32"};
  for (const TrialRequest& request : component_requests(build_space({}, cpu), plan.header.spec))
    EXPECT_NE(request.purpose, Purpose::copy_only) << "a CPU copies nothing";
}

TEST(Components, AShortBudgetGetsFewerAndShorterOnesButBothEndsOfTheBatches) {
  Spec spec;
  const SearchSpace space = build_space({}, fake_context());
  const auto all = component_requests(space, spec);
  spec.budget.seconds = 20;
  const auto some = component_requests(space, spec);
  EXPECT_LT(some.size(), all.size());
  EXPECT_LT(some.front().target.max_time_s, all.front().target.max_time_s);
  const auto batches = integers(some, Purpose::step_only, "batch_size");
  EXPECT_EQ(batches.front(), 16);
  EXPECT_EQ(batches.back(), 1024);
}

TEST(TrialLength, TheQueuesFillAndThreeBatchesAWorkerOrTenCount) {
  LoaderSetup loader;
  loader.batch_size = 256;
  loader.num_workers = 32;
  loader.prefetch = 2;
  EXPECT_EQ(images_needed(loader), (64 + 2 + 96) * 256);
  loader.kind = LoaderKind::pooled;
  loader.ready_batches = 4;
  EXPECT_EQ(images_needed(loader), (4 + 2 + 10) * 256);
  loader.num_workers = 0;
  EXPECT_EQ(images_needed(loader), (1 + 2 + 10) * 256);
}

TEST(TrialLength, ASlowMachineGetsTheTimeItNeeds) {
  TrialRequest request;
  request.setup.loader.batch_size = 256;
  request.setup.loader.num_workers = 32;
  feedtune::Run run;
  TrialResult component;
  component.stage = "component";
  for (const Purpose purpose : {Purpose::loader_only, Purpose::step_only}) {
    component.purpose = purpose;
    component.images_per_s = Interval{50, 49, 51, 10};
    run.trials.push_back(component);
  }
  // Loading and stepping one after the other at 50 images/s each is the slowest that the whole can be.
  EXPECT_GT(time_limit_s(request, run), static_cast<double>(images_needed(request.setup.loader)) / 25);
  run.trials[0].images_per_s->mean = 5000;
  run.trials[1].images_per_s->mean = 5000;
  EXPECT_LT(time_limit_s(request, run), 150) << "a hang on a fast machine is noticed within minutes";
}

TEST(Drift, AStepAndASlowTrendAreSeenASpikeIsNot) {
  EXPECT_EQ(alarms({100, 101, 99, 100, 90, 90, 91, 90, 90, 90}, 0.005), 1);
  EXPECT_EQ(alarms({100, 101, 99, 100, 80, 100, 101, 100, 99}, 0.005), 0);
  std::vector<double> trend;
  for (int i = 0; i < 20; ++i) trend.push_back(100 * std::pow(0.99, i));
  EXPECT_GE(alarms(trend, 0.002), 1);
}

TEST(Drift, NoiseAloneSeldomRaisesIt) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  int runs_with_alarm = 0;
  for (int run = 0; run < 500; ++run) {
    std::vector<double> rates;
    for (int i = 0; i < 20; ++i) rates.push_back(100 * std::exp(0.02 * normal(random)));
    if (alarms(rates, 0.01) > 0) ++runs_with_alarm;
  }
  EXPECT_LE(runs_with_alarm, 25) << "more than 5 % false alarms over 20 references at 2 % noise";
}

TEST(DryRun, ListsWhatTheSweepWouldMeasureWithTimeAndMemory) {
  SweepPlan plan = fake_plan("grid", {.seconds = {}, .trials = 60});
  plan.space.context.device.memory_bytes = 1'000'000;
  plan.space.context.planned_device_bytes = [](const Configuration& configuration) -> std::optional<std::uint64_t> {
    return static_cast<std::uint64_t>(*configuration.integer("batch_size")) * 10'000;
  };
  const DryRun dry = dry_run(plan);
  FakeRunner runner;
  const feedtune::Run run = run_sweep(plan, runner, {});
  ASSERT_EQ(dry.trials.size(), run.trials.size());
  double seconds = 0;
  for (std::size_t i = 0; i < dry.trials.size(); ++i) {
    const PlannedTrial& trial = dry.trials[i];
    EXPECT_EQ(trial.configuration, run.trials[i].configuration);
    EXPECT_EQ(trial.stage, run.trials[i].stage);
    EXPECT_GT(trial.estimated_s, 0);
    EXPECT_GT(trial.host_bytes, 0u);
    seconds += trial.estimated_s;
    if (trial.stage != "explore") continue;
    EXPECT_EQ(trial.device_bytes, static_cast<std::uint64_t>(*trial.configuration.integer("batch_size")) * 10'000);
    EXPECT_EQ(trial.fits, trial.configuration.integer("batch_size") != 128);
  }
  EXPECT_NEAR(dry.estimated_s, seconds, 1e-9);
  EXPECT_EQ(dry.confirm_trials, 60 - count_stage(run.trials, "explore"));
  EXPECT_GT(dry.confirm_s, 0);
}
