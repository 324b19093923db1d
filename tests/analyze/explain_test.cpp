// Which trials are explained, what every rule keeps to, and what is said where nothing can be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "analyze/recommend.hpp"
#include "core/error.hpp"
#include "explain_run.hpp"

using namespace feedtune;
using namespace feedtune::testing;
using ::testing::HasSubstr;

namespace {

std::string refused(const Run& run, std::optional<std::int64_t> trial) {
  try {
    explain(run, trial, "some/run");
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), "some/run");
    return error.what();
  }
  return "";
}

void expect_sound(const Finding& f) {
  EXPECT_FALSE(f.verdict.empty()) << f.rule;
  EXPECT_FALSE(f.next.empty()) << f.rule;
  ASSERT_FALSE(f.evidence.empty()) << f.rule;
  for (const std::string& line : f.evidence) EXPECT_THAT(line, Not(HasSubstr("nan"))) << f.rule;
  EXPECT_GE(f.share, 0) << f.rule;
  EXPECT_LE(f.share, 1) << f.rule;
  EXPECT_NE(f.gain.has_value(), !f.gain_unknown.empty()) << f.rule << ": a gain or the reason why there is none";
  if (!f.gain) return;
  EXPECT_FALSE(f.gain_of.empty()) << f.rule;
  EXPECT_TRUE(std::isfinite(f.gain->mean) && f.gain->low > 0) << f.rule;
  EXPECT_LE(f.gain->low, f.gain->mean) << f.rule;
  EXPECT_LE(f.gain->mean, f.gain->high) << f.rule;
}

void expect_sound(const Run& run, std::optional<std::int64_t> trial) {
  const Explanation all = explain(run, trial, "run");
  ASSERT_FALSE(all.trials.empty());
  for (const TrialExplanation& e : all.trials) {
    EXPECT_TRUE(!e.has_primary || !e.findings.empty());
    if (e.has_primary) {
      EXPECT_GE(e.findings.front().share, least_share);
    }
    for (const Finding& f : e.findings) expect_sound(f);
  }
  for (const Finding& f : all.run) expect_sound(f);
}

}  // namespace

TEST(Explain, EveryRuleHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const Rule& rule : all_rules()) names.insert(rule.name);
  EXPECT_EQ(names.size(), all_rules().size());
  EXPECT_GE(names.size(), 8u);
}

TEST(Explain, ATrialThatRecordedNothingIsSaidToBeUnexplainedByEveryRule) {
  RunBuilder builder;
  builder.explore(Configuration(), 100);
  const Explanation all = explain(builder.run, std::nullopt, "run");
  EXPECT_TRUE(all.trials.front().findings.empty());
  EXPECT_FALSE(all.trials.front().has_primary);
  EXPECT_FALSE(all.trials.front().step_ms);
}

TEST(Explain, HostileNumbersGiveSoundFindingsOrNone) {
  // Every number of the trial and of what stands beside it at random out of what an edited file may hold.
  std::mt19937 random(7);
  const double values[] = {0, 1e-300, 1, 100, 1e9, 1e300, -1, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  const std::int64_t integers[] = {0, 1, -1, 2, 64, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  const auto number = [&] { return values[random() % std::size(values)]; };
  const auto integer = [&] { return integers[random() % std::size(integers)]; };
  for (int round = 0; round < 400; ++round) {
    ExplainRun run;
    ExplainRun::fill(run.builder.explore(make({.workers = 2}), 100));
    ExplainRun::fill(run.builder.explore(baseline_at(64), 100));
    run.run().machine.cpus.effective = number();
    for (TrialResult& t : run.run().trials) {
      for (auto& [name, summary] : t.phases) {
        if (random() % 2 == 0) continue;
        summary.mean = number();
        summary.p50 = number();
      }
      for (auto& [name, ms] : t.worker_ms_per_image)
        if (random() % 2 == 0) ms = number();
      for (auto* value : {&t.host.window_s, &t.host.cpu_user_s, &t.host.cpu_system_s, &t.host.cpu_s_per_image, &t.host.run_delay_s, &t.host.throttled_s, &t.host.cpu_mhz, &t.host.cache_resident_share})
        if (random() % 2 == 0) *value = number();
      for (const char* axis : {"num_workers", "batch_size", "worker_threads", "prefetch"})
        if (random() % 4 == 0) t.configuration.set(axis, integer());
      t.files = {{std::string("a\x1b[31m\n\xff.jpg"), "slow", number()}, {"b", "slow", number()}};
      t.images.decoded = integer();
      t.first_batch_ms = number();
      t.startup_s = number();
      t.epoch_turn_ms = number();
      t.measured_s = number();
      t.cost_s = number();
    }
    expect_sound(run.run(), run.trial().id);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Explain, WithoutAnIdTheUsersOwnSettingsComeFirst) {
  ExplainRun run({.workers = 2});
  ExplainRun::fill(run.builder.explore(make({.workers = 4}), 1000));
  ExplainRun::fill(run.builder.explore(baseline_at(64), 300));
  run.run().spec.current = make({.workers = 2});
  run.run().recommendation = recommend(run.run(), {});
  const Explanation all = explain(run.run(), std::nullopt, "run");
  std::vector<std::string> roles;
  for (const auto& e : all.trials) roles.push_back(e.role);
  EXPECT_EQ(roles, (std::vector<std::string>{"current", "recommended", "baseline"}));
  EXPECT_EQ(all.trials.front().id, 1);
  EXPECT_TRUE(all.modelled);
}

TEST(Explain, OfSeveralTrialsOfASettingTheMiddleOneIsExplained) {
  ExplainRun run;
  for (const double rate : {100.0, 300.0, 200.0}) ExplainRun::fill(run.builder.confirm(make({}), static_cast<int>(rate / 100), rate));
  EXPECT_EQ(explain(run.run(), std::nullopt, "run").trials.front().id, 4) << "200 images/s, of those confirmed";
}

TEST(Explain, AnUnknownTrialIsRefusedWithThoseThatThereAre) {
  ExplainRun run;
  for (int i = 0; i < 3; ++i) run.builder.explore(make({}), 100);
  run.builder.fail(make({.workers = 8}), TrialStatus::crashed, "signal 9\nkilled");
  run.builder.explore(make({}), 100);
  run.builder.component(Purpose::step_only, make({}), 100);
  EXPECT_EQ(refused(run.run(), 99), "some/run: has no trial 99; trials that can be explained: 1 to 4, 6");
  EXPECT_EQ(refused(run.run(), 5), "some/run: trial 5 gave no result (crashed: signal 9 killed); trials that can be explained: 1 to 4, 6");
  EXPECT_EQ(refused(run.run(), 7), "some/run: trial 7 measured a part alone (step_only); trials that can be explained: 1 to 4, 6");
}

TEST(Explain, ARunWithoutResultsIsRefusedWithTheReason) {
  EXPECT_EQ(refused(feedtune::Run{}, std::nullopt), "some/run: no trials in it: nothing was measured");
  RunBuilder failed;
  failed.fail(make({}), TrialStatus::out_of_memory, "device: 9 GB");
  EXPECT_EQ(refused(failed.run, std::nullopt), "some/run: no trial that could be explained: the first to fail (out_of_memory: device: 9 GB)");
  RunBuilder parts;
  parts.component(Purpose::loader_only, make({}), 100);
  EXPECT_EQ(refused(parts.run, std::nullopt), "some/run: no whole trial in it, only parts measured alone");
}

TEST(Explain, AChangeThatWasMeasuredIsNotPredicted) {
  ExplainRun run({.workers = 0});
  run.waits(0.8).trial().host.cpu_user_s = 3;
  run.builder.explore(make({.workers = 8}), 1280);
  const auto found = run.finding("single_worker_bound");
  ASSERT_TRUE(found && found->gain);
  EXPECT_NEAR(found->gain->mean, 2, 1e-9);
  EXPECT_THAT(found->gain_of, HasSubstr("num_workers 0 -> 8, measured in this run"));
}

TEST(Explain, APredictionsIntervalHoldsTheTruthOfAMachineMadeByItsOwnLaw) {
  // Loading takes 1 ms an image a worker, the step 0.1 ms an image; 8 cores: 1, 2 and 4 workers are measured, 8 is asked for.
  ExplainRun run({.workers = 1});
  run.waits(0.85).trial().images_per_s = Interval{1000, 990, 1010, 20};
  run.trial().host.cpu_user_s = 3;
  for (const std::int64_t w : {2, 4}) run.builder.explore(make({.workers = w}), 1000.0 * static_cast<double>(w));
  run.builder.component(Purpose::loader_only, make({.workers = 1}), 1000);
  run.builder.component(Purpose::step_only, make({.workers = 1}), 10'000);
  const auto found = run.finding("single_worker_bound");
  ASSERT_TRUE(found && found->gain) << (found ? found->gain_unknown : "silent");
  EXPECT_THAT(found->gain_of, HasSubstr("num_workers 1 -> 8, predicted"));
  EXPECT_LT(found->gain->low, 8);
  EXPECT_GT(found->gain->high, 5) << "without contention 8 workers load 8 times as much";
  EXPECT_LT(found->gain->high / found->gain->low, 4);
}
