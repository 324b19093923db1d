#include "replay/recorded_machine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "measure/statistics.hpp"
#include "replay/replay_runner.hpp"

using namespace feedtune;

namespace {

Configuration batch(std::int64_t size) { return Configuration({{"batch_size", size}}); }

/// 64 has four runs, 128 one of three that worked, 256 none, 512 a single one.
RecordedGrid grid() {
  return parse_grid_csv(
      "batch_size,status,images_per_s,cost_s\n64,ok,100,1\n64,ok,104,2\n64,ok,98,3\n64,ok,102,4\n128,ok,200,5\n128,crashed,,6\n"
      "128,timeout,,7\n256,out_of_memory,,1\n512,ok,300,1\n",
      "grid.csv");
}

std::vector<TrialResult> answers(const RecordedMachine& machine, const Configuration& configuration, int count) {
  std::vector<TrialResult> found;
  for (int id = 1; id <= count; ++id) {
    TrialRequest request;
    request.id = id;
    request.configuration = configuration;
    found.push_back(machine.answer(request, 0));
  }
  return found;
}

std::vector<double> log_rates(const std::vector<TrialResult>& results) {
  std::vector<double> logs;
  for (const TrialResult& result : results)
    if (result.images_per_s) logs.push_back(std::log(result.images_per_s->mean));
  return logs;
}

}  // namespace

TEST(RecordedMachine, TheTruthIsTheGeometricMeanAndAnswersScatterAboutItAsTheRunsDo) {
  const RecordedMachine machine(grid(), 1);
  const double logs[] = {std::log(100), std::log(104), std::log(98), std::log(102)};
  EXPECT_NEAR(*machine.true_images_per_s(batch(64)), std::exp(mean(logs)), 1e-9);
  const auto drawn = log_rates(answers(machine, batch(64), 4000));
  EXPECT_EQ(std::set<double>(drawn.begin(), drawn.end()).size(), 4u) << "four runs were recorded";
  EXPECT_NEAR(mean(drawn), mean(logs), 0.001);
  EXPECT_NEAR(moments(drawn).deviation(), moments(logs).deviation(), 0.001) << "the unbiased deviation of the recorded runs";
  EXPECT_FALSE(machine.true_images_per_s(batch(256))) << "it never ran";
  EXPECT_FALSE(machine.true_images_per_s(batch(7))) << "it was never recorded";
}

TEST(RecordedMachine, AStatusComesAsOftenAsItWasRecordedWithTheCostOfItsRun) {
  const RecordedMachine machine(grid(), 1);
  std::map<TrialStatus, int> count;
  for (const TrialResult& result : answers(machine, batch(128), 3000)) {
    ++count[result.status];
    EXPECT_EQ(result.cost_s, result.status == TrialStatus::ok ? 5 : result.status == TrialStatus::crashed ? 6 : 7);
    EXPECT_EQ(result.images_per_s.has_value(), result.status == TrialStatus::ok);
  }
  for (const TrialStatus status : {TrialStatus::ok, TrialStatus::crashed, TrialStatus::timeout}) EXPECT_NEAR(count[status], 1000, 100);
}

TEST(RecordedMachine, ASingleRunIsGivenTheNoiseThatRepeatedOnesHaveAndItIsSaid) {
  const RecordedMachine machine(grid(), 1);
  const double logs[] = {std::log(100), std::log(104), std::log(98), std::log(102)};
  const auto drawn = log_rates(answers(machine, batch(512), 4000));
  EXPECT_NEAR(mean(drawn), std::log(300), 0.002);
  EXPECT_NEAR(moments(drawn).deviation(), moments(logs).deviation(), 0.002) << "the unbiased deviation of the repeated runs";
  EXPECT_NE(machine.noise_note().find("2 configurations with a single run are given 2.6 % (as the 1 repeated configuration scatter)"), std::string::npos)
      << machine.noise_note();
  const RecordedMachine silent(parse_grid_csv("a,status,images_per_s,cost_s\n1,ok,5,1\n2,ok,6,1\n", "x"), 1);
  EXPECT_NE(silent.noise_note().find("this replay has no noise"), std::string::npos) << silent.noise_note();
  EXPECT_NEAR(answers(silent, Configuration({{"a", std::int64_t{1}}}), 1).front().images_per_s->mean, 5, 1e-9);
}

TEST(RecordedMachine, ASingleRunHasNoiseThoughMostRepeatedOnesRepeatToTheDigit) {
  // As where the step binds: ten of twelve configurations give 100 twice, two differ by 10 %.
  std::string csv = "batch_size,status,images_per_s,cost_s\n512,ok,300,1\n";
  for (int size = 1; size <= 12; ++size) csv += fmt::format("{0},ok,100,1\n{0},ok,{1},1\n", size, size <= 10 ? 100 : 110);
  const auto drawn = log_rates(answers(RecordedMachine(parse_grid_csv(csv, "x"), 1), batch(512), 4000));
  // 4 of 24 distances are sqrt(2) * log(1.1) / 2 from 0.
  EXPECT_NEAR(moments(drawn).deviation(), std::sqrt(4.0 / 24) * std::sqrt(2.0) * std::log(1.1) / 2, 0.002);
}

TEST(RecordedMachine, WhatWasNotRecordedIsRefusedAndCostsNothing) {
  const RecordedMachine machine(grid(), 1);
  ReplayRunner runner(machine);
  TrialRequest hole;
  hole.id = 1;
  hole.configuration = batch(96);
  const TrialResult refused = runner.run(hole, {});
  EXPECT_EQ(refused.status, TrialStatus::unsupported);
  EXPECT_EQ(refused.reason, "not recorded: trial batch_size=96");
  TrialRequest part;
  part.id = 2;
  part.configuration = batch(64);
  part.purpose = Purpose::loader_only;
  EXPECT_EQ(runner.run(part, {}).status, TrialStatus::unsupported);
  EXPECT_EQ(runner.now_s(), 0);
}

TEST(RecordedMachine, TheSameSeedAndTrialGiveTheSameAnswerWhateverCameBefore) {
  const RecordedMachine a(grid(), 5), b(grid(), 5), c(grid(), 6);
  const auto first = log_rates(answers(a, batch(512), 50));
  answers(b, batch(64), 10);
  EXPECT_EQ(log_rates(answers(b, batch(512), 50)), first);
  EXPECT_NE(log_rates(answers(c, batch(512), 50)), first);
  ReplayRunner whole(a), resumed(a, simulated_time_after(answers(a, batch(64), 3)));
  for (int id = 1; id <= 3; ++id) {
    TrialRequest request;
    request.id = id;
    request.configuration = batch(64);
    whole.run(request, {});
  }
  EXPECT_EQ(whole.now_s(), resumed.now_s()) << "to the last bit, or costs and budgets differ after a resume";
}

TEST(RecordedMachine, TheIntervalIsThatOfTheRunsOwnStepsWhereItHasThem) {
  feedtune::Run run;
  TrialResult trial;
  trial.stage = "explore";
  trial.configuration = batch(64);
  trial.images_per_s = Interval{640, 1, 10'000, 20};
  trial.cost_s = 3;
  trial.measured_steps = 400;
  for (int i = 0; i < 400; ++i) trial.step_us.push_back(i % 2 == 0 ? 90'000 : 110'000);
  run.trials = {trial};
  // Independent steps of 10 % either way would give 640 +- 1.96 * 10 % / 20; these alternate, so that blocks of 20 are all alike.
  const auto alternating = answers(RecordedMachine(grid_of(run, "a"), 1), batch(64), 1).front();
  EXPECT_NEAR(alternating.images_per_s->high / alternating.images_per_s->low, 1, 1e-6);
  EXPECT_TRUE(alternating.step_us.empty());
  // In halves the blocks are all of one kind: 20 of them, as 20 independent values.
  for (int i = 0; i < 400; ++i) run.trials[0].step_us[static_cast<std::size_t>(i)] = i < 200 ? 90'000 : 110'000;
  const auto halves = answers(RecordedMachine(grid_of(run, "a"), 1), batch(64), 1).front();
  EXPECT_NEAR((halves.images_per_s->high - halves.images_per_s->low) / 2 / halves.images_per_s->mean, 1.96 * 0.1 / std::sqrt(20.0), 0.01);
  run.trials[0].step_us.clear();
  const auto recorded = answers(RecordedMachine(grid_of(run, "a"), 1), batch(64), 1).front();
  EXPECT_NEAR(recorded.images_per_s->high / recorded.images_per_s->mean, 10'000.0 / 640, 1e-6);
}
