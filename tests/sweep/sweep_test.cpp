#include "sweep/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/error.hpp"
#include "space/recorded_space.hpp"
#include "sweep/fake_sweep.hpp"

using namespace feedtune;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;

namespace {

constexpr int configurations = 32;
constexpr int references = configurations / 8;  // one more than blocks, less its own place in the grid: 31 others in 4 blocks

}  // namespace

TEST(Sweep, MeasuresPartsThenAnchorsThenSearchesThenConfirms) {
  FakeRunner runner;
  const feedtune::Run run = run_sweep(fake_plan(), runner, {.next_to_confirm = confirm_fastest(3)});
  EXPECT_TRUE(run.complete);
  std::vector<std::string> stages;
  for (const TrialResult& trial : run.trials)
    if (stages.empty() || stages.back() != trial.stage) stages.push_back(trial.stage);
  EXPECT_THAT(stages, testing::ElementsAre("component", "anchor", "explore", "confirm"));
  std::set<Purpose> purposes;
  for (const TrialResult& trial : run.trials) {
    if (trial.stage == "component") purposes.insert(trial.purpose);
    else EXPECT_EQ(trial.purpose, Purpose::trial);
  }
  EXPECT_EQ(purposes, (std::set{Purpose::loader_only, Purpose::copy_only, Purpose::step_only}));
  EXPECT_EQ(count_stage(run.trials, "anchor"), 3);
  EXPECT_EQ(count_stage(run.trials, "explore"), configurations + references);
  EXPECT_EQ(count_stage(run.trials, "confirm"), 3 * 4);
}

TEST(Sweep, EveryTrialIsNumberedCostedAndInTheJournalBeforeTheNextBegins) {
  FakeRunner runner;
  MemorySink sink;
  runner.change = [&](const TrialRequest& request, TrialResult&) {
    ASSERT_EQ(static_cast<std::int64_t>(sink.trials.size()), request.id - 1) << "the one before isn't in the journal yet";
  };
  const feedtune::Run run = run_sweep(fake_plan(), runner, {.next_to_confirm = confirm_fastest(3), .sink = &sink});
  ASSERT_EQ(sink.trials.size(), run.trials.size());
  std::int64_t id = 0;
  double cost = 0;
  for (const TrialResult& trial : run.trials) {
    EXPECT_EQ(trial.id, ++id);
    EXPECT_EQ(trial.order, id);
    cost += trial.cost_s;
  }
  EXPECT_NEAR(cost, runner.now_s(), 1e-6);
}

TEST(Sweep, TheChildGetsTheConfigurationAppliedAndADeadlineItCanMeet) {
  FakeRunner runner;
  SweepPlan plan = fake_plan();
  plan.base.data.path = "pictures";
  run_sweep(plan, runner, {});
  for (const TrialRequest& request : runner.requests) {
    EXPECT_EQ(request.setup.loader.num_workers, request.configuration.integer("num_workers"));
    EXPECT_EQ(request.setup.data.path, request.stage == "anchor" ? "anchors" : "pictures");
    EXPECT_GT(request.time_limit_s, 2 * request.target.max_time_s);
    if (request.stage == "anchor") continue;
    EXPECT_EQ(request.setup.step.precision, Precision::fp16);
  }
  EXPECT_EQ(runner.requests.back().target.max_time_s, plan.header.spec.trial_time_s);
}

TEST(Sweep, GridMeasuresEveryConfigurationAndNoneTwiceInABlockButTheReference) {
  FakeRunner runner;
  const SweepPlan plan = fake_plan();
  const feedtune::Run run = run_sweep(plan, runner, {.next_to_confirm = confirm_fastest(3)});
  std::set<Configuration> explored;
  std::map<std::pair<int, Configuration>, int> in_block;
  for (const TrialResult& trial : run.trials) {
    if (trial.stage == "explore") explored.insert(trial.configuration);
    if (trial.stage == "explore" || trial.stage == "confirm") ++in_block[{trial.block, trial.configuration}];
  }
  EXPECT_EQ(explored, std::set<Configuration>(plan.space.configurations.begin(), plan.space.configurations.end()));
  std::set<Configuration> repeated;
  for (const auto& [place, times] : in_block)
    if (times > 1) repeated.insert(place.second);
  EXPECT_LE(repeated.size(), 1u);
}

TEST(Sweep, ConfirmationBlocksHaveNumbersOfTheirOwnAndAFreshOrder) {
  FakeRunner runner;
  const SweepPlan plan = fake_plan();
  const std::vector<Configuration> four(plan.space.configurations.begin(), plan.space.configurations.begin() + 4);
  SweepHooks hooks;
  hooks.next_to_confirm = [&](const feedtune::Run& so_far) {
    return count_stage(so_far.trials, "confirm") < 6 * 4 ? four : std::vector<Configuration>{};
  };
  const feedtune::Run run = run_sweep(plan, runner, hooks);
  std::set<int> explored;
  std::map<int, std::vector<std::string>> confirmed;
  for (const TrialResult& trial : run.trials) {
    if (trial.stage == "explore") explored.insert(trial.block);
    if (trial.stage == "confirm") confirmed[trial.block].push_back(trial.configuration.key());
  }
  ASSERT_EQ(confirmed.size(), 6u);
  EXPECT_GT(confirmed.begin()->first, *explored.rbegin());
  std::set<std::vector<std::string>> orders;
  for (const auto& entry : confirmed) orders.insert(entry.second);
  EXPECT_GT(orders.size(), 2u) << "always the same order would let drift pass for a difference";
}

TEST(Sweep, ConfirmsAtLeastThreeBlocksEvenIfOneSeemsEnough) {
  FakeRunner runner;
  const feedtune::Run run = run_sweep(fake_plan(), runner, {.next_to_confirm = confirm_fastest(1)});
  EXPECT_EQ(count_stage(run.trials, "confirm"), 3 * 4);
}

TEST(Sweep, ABaselineThatWasNeverMeasuredIsCompletedAndConfirmed) {
  FakeRunner runner;
  Configuration bare;
  bare.set("batch_size", std::int64_t{48});
  bare.set("num_workers", std::int64_t{0});
  SweepHooks hooks;
  hooks.next_to_confirm = [&](const feedtune::Run& run) {
    return count_stage(run.trials, "confirm") < 3 ? std::vector{bare} : std::vector<Configuration>{};
  };
  const feedtune::Run run = run_sweep(fake_plan(), runner, hooks);
  const TrialResult& last = run.trials.back();
  EXPECT_EQ(last.stage, "confirm");
  EXPECT_EQ(last.configuration.integer("batch_size"), 48);
  EXPECT_EQ(last.configuration.text("decoder"), "turbo_full");
}

TEST(Sweep, SameSeedSamePlanAnotherSeedAnotherOrder) {
  for (const char* strategy : {"grid", "random"}) {
    FakeRunner a, b, c;
    SweepPlan plan = fake_plan(strategy);
    const SweepHooks hooks = {.next_to_confirm = confirm_fastest(3)};
    const auto first = identities(run_sweep(plan, a, hooks).trials);
    EXPECT_EQ(identities(run_sweep(plan, b, hooks).trials), first);
    plan.header.spec.seed = 8;
    EXPECT_NE(identities(run_sweep(plan, c, hooks).trials), first);
  }
}

TEST(Sweep, ABudgetOfTrialsIsMetExactlyWithAnchorsAndPartsOutside) {
  for (const std::int64_t budget : {1, 2, 3, 7, 20, 40, 61}) {
    FakeRunner runner;
    const feedtune::Run run = run_sweep(fake_plan("grid", {.seconds = {}, .trials = budget}), runner, {.next_to_confirm = confirm_fastest(1000)});
    EXPECT_EQ(count_stage(run.trials, "explore") + count_stage(run.trials, "confirm"), budget);
    EXPECT_EQ(count_stage(run.trials, "anchor"), 3);
    EXPECT_GT(count_stage(run.trials, "component"), 0);
    EXPECT_TRUE(run.complete) << "a budget's end is a planned end";
    EXPECT_TRUE(budget < 7 || 4 * count_stage(run.trials, "confirm") >= budget) << "a quarter at least has to be left";
  }
}

TEST(Sweep, WithoutABudgetAnEndlessConfirmationIsEndedAndSaid) {
  FakeRunner runner;
  SweepPlan plan = fake_plan();
  plan.most_confirm_blocks = 1000;
  const feedtune::Run run = run_sweep(plan, runner, {.next_to_confirm = confirm_fastest(1000)});
  EXPECT_EQ(count_stage(run.trials, "confirm"), 100) << "blocks of 4; the search took 36";
  EXPECT_THAT(run.notes, Contains(Field(&RunNote::text, HasSubstr("undecided after 100 trials"))));
}

TEST(Sweep, ABudgetOfSecondsIsOverrunByOneTrialAtMostWithAnchorsOutside) {
  for (const double budget : {10.0, 30.0, 60.0, 200.0}) {
    FakeRunner runner;
    const feedtune::Run run = run_sweep(fake_plan("random", {.seconds = budget, .trials = {}}), runner, {.next_to_confirm = confirm_fastest(1000)});
    double spent = 0, components = 0, longest = 0, confirm = 0;
    for (const TrialResult& trial : run.trials) {
      if (trial.stage == "anchor") continue;
      spent += trial.cost_s;
      longest = std::max(longest, trial.cost_s);
      if (trial.stage == "component") components += trial.cost_s;
      if (trial.stage == "confirm") confirm += trial.cost_s;
    }
    EXPECT_GE(spent, budget);
    EXPECT_LE(spent, budget + longest);
    EXPECT_LE(components, 0.6 * budget) << budget;
    EXPECT_GT(confirm, 0) << budget;
    EXPECT_EQ(count_stage(run.trials, "anchor"), 3);
  }
}

TEST(Sweep, FailedTrialsAreRecordedAndTheSweepGoesOn) {
  FakeRunner runner;
  runner.change = [](const TrialRequest& request, TrialResult& result) {
    if (request.stage != "explore") return;
    if (request.configuration.integer("num_workers") == 8) {
      result.status = TrialStatus::crashed;
      result.reason = "signal 11";
    } else if (request.configuration.integer("num_workers") == 1) {
      result.status = TrialStatus::timeout;
    }
  };
  const feedtune::Run run = run_sweep(fake_plan(), runner, {.next_to_confirm = confirm_fastest(3)});
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(count_stage(run.trials, "explore"), configurations + references);
  EXPECT_EQ(std::count_if(run.trials.begin(), run.trials.end(), [](const auto& t) { return t.status == TrialStatus::crashed; }), 8);
  EXPECT_EQ(count_stage(run.trials, "confirm"), 12);
}

TEST(Sweep, DataThatIsNotWarmAsAskedForIsNotedOnce) {
  FakeRunner runner;
  const auto notes_of = [&](const SweepPlan& plan) {
    std::vector<std::string> texts;
    for (const RunNote& note : run_sweep(plan, runner, {}).notes)
      if (note.kind == "cache") texts.push_back(note.text);
    return texts;
  };
  runner.change = [](const TrialRequest& request, TrialResult& result) {
    if (request.stage == "explore") result.host.cache_resident_share = 0.4;
    else result.host.cache_resident_share = 1;
  };
  const auto cold = notes_of(fake_plan());
  ASSERT_EQ(cold.size(), 1u);
  EXPECT_NE(cold[0].find("40 %"), std::string::npos) << cold[0];
  SweepPlan as_is = fake_plan();
  as_is.header.spec.cache = CachePolicy::as_is;
  EXPECT_TRUE(notes_of(as_is).empty()) << "nobody asked for warm data";
  runner.change = [](const TrialRequest&, TrialResult& result) { result.unknown["cache_resident_share"] = "preadv2(RWF_NOWAIT): no"; };
  const auto unknown = notes_of(fake_plan());
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_NE(unknown[0].find("RWF_NOWAIT"), std::string::npos) << unknown[0];
}

TEST(Sweep, DataThatChangesEndsItAndCostsNoSettingItsName) {
  FakeRunner runner;
  int explored = 0;
  runner.change = [&](const TrialRequest& request, TrialResult& result) {
    if (request.stage != "explore" || ++explored < 5) return;
    result.status = TrialStatus::invalid;
    result.images_per_s.reset();
    result.reason = "photos: the data changed since the sweep began";
    result.stop_reason = "data_changed";
  };
  const feedtune::Run run = run_sweep(fake_plan(), runner, {.next_to_confirm = confirm_fastest(3)});
  EXPECT_FALSE(run.complete);
  EXPECT_EQ(explored, 5) << "no trial is tried on other data";
  EXPECT_EQ(count_stage(run.trials, "explore"), 4);
  for (const TrialResult& trial : run.trials) EXPECT_EQ(trial.status, TrialStatus::ok);
  ASSERT_FALSE(run.notes.empty());
  EXPECT_NE(run.notes.back().text.find("the data changed since the sweep began; --resume goes on once the data is as it was"), std::string::npos)
      << run.notes.back().text;
}

TEST(Sweep, EndsAndSaysSoWhenNothingWorks) {
  FakeRunner runner;
  runner.change = [](const TrialRequest&, TrialResult& result) { result.status = TrialStatus::crashed; };
  const feedtune::Run run = run_sweep(fake_plan(), runner, {.next_to_confirm = confirm_fastest(3)});
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(count_stage(run.trials, "confirm"), 0);
}

TEST(Sweep, WhatWouldRunOutOfMemoryIsSkippedAndNamed) {
  FakeRunner runner;
  SweepPlan plan = fake_plan();
  plan.header.spec.axes["batch_size"] = {};
  for (const std::int64_t batch : {16, 32, 64, 128, 256, 512, 1024}) plan.header.spec.axes["batch_size"].emplace_back(batch);
  plan.space = build_space(plan.header.spec.axes, fake_context());
  runner.change = [](const TrialRequest& request, TrialResult& result) {
    if (request.purpose != Purpose::trial || *request.configuration.integer("batch_size") < 256) return;
    result.status = TrialStatus::out_of_memory;
    result.memory_kind = MemoryKind::device;
  };
  const feedtune::Run run = run_sweep(plan, runner, {.next_to_confirm = confirm_fastest(3)});
  const auto too_large = std::count_if(run.trials.begin(), run.trials.end(), [](const TrialResult& trial) {
    return trial.stage == "explore" && trial.status == TrialStatus::out_of_memory;
  });
  EXPECT_GT(too_large, 0);
  EXPECT_LT(too_large, 24) << "all 24 configurations from batch 256 up were tried";
  EXPECT_THAT(run.notes, Contains(testing::AllOf(Field(&RunNote::kind, "skipped"), Field(&RunNote::text, HasSubstr("ran out")))));
}

TEST(Sweep, StoppingKeepsWhatIsDoneAndDropsTheTrialThatWasCut) {
  FakeRunner runner;
  MemorySink sink;
  bool stop = false;
  runner.interrupt = [&] { return stop = runner.requests.size() == 40; };
  SweepHooks hooks = {.next_to_confirm = confirm_fastest(3), .stop_requested = [&] { return stop; }, .sink = &sink};
  const feedtune::Run run = run_sweep(fake_plan(), runner, hooks);
  EXPECT_FALSE(run.complete);
  EXPECT_EQ(run.trials.size(), 39u);
  EXPECT_EQ(sink.trials.size(), 39u);
  EXPECT_EQ(runner.requests.size(), 40u) << "nothing may start after the stop";
  EXPECT_THAT(sink.notes, Contains(Field(&RunNote::kind, "interrupted")));
}

TEST(Sweep, StoppingBetweenTrialsStartsNoOther) {
  FakeRunner runner;
  SweepHooks hooks = {.stop_requested = [&] { return runner.requests.size() >= 5; }};
  const feedtune::Run run = run_sweep(fake_plan(), runner, hooks);
  EXPECT_FALSE(run.complete);
  EXPECT_EQ(run.trials.size(), 5u) << "a trial that had ended is kept";
}

TEST(Sweep, DriftOfTheReferenceIsNotedWithFiguresAndNoiseIsNot) {
  const auto notes_of_drift = [](double shift) {
    FakeRunner runner;
    runner.noise = 0.005;
    runner.change = [&](const TrialRequest& request, TrialResult& result) {
      if (request.stage != "explore" || runner.requests.size() < 75) return;
      for (double* value : {&result.images_per_s->mean, &result.images_per_s->low, &result.images_per_s->high}) *value *= 1 + shift;
    };
    SweepPlan plan = fake_plan();
    plan.header.spec.axes["prefetch"] = {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}};
    plan.space = build_space(plan.header.spec.axes, fake_context());
    const feedtune::Run run = run_sweep(plan, runner, {});
    std::vector<std::string> texts;
    for (const RunNote& note : run.notes)
      if (note.kind == "drift") texts.push_back(note.text);
    return texts;
  };
  EXPECT_THAT(notes_of_drift(0), testing::IsEmpty());
  EXPECT_THAT(notes_of_drift(0.01), testing::IsEmpty());
  EXPECT_THAT(notes_of_drift(-0.2), testing::ElementsAre(testing::AllOf(HasSubstr("the reference runs at"), HasSubstr("images/s, -"))));
}

TEST(Sweep, AnchorsAreLeftOutOnDemand) {
  FakeRunner runner;
  SweepPlan plan = fake_plan();
  plan.header.spec.anchors = false;
  EXPECT_EQ(count_stage(run_sweep(plan, runner, {}).trials, "anchor"), 0);
}

TEST(Sweep, MistakesAreFoundBeforeTheFirstTrial) {
  FakeRunner runner;
  SweepPlan plan = fake_plan("gird");
  EXPECT_THROW(run_sweep(plan, runner, {}), SpecError);
  plan = fake_plan();
  plan.header.spec.current = Configuration(std::map<std::string, AxisValue>{{"num_workers", std::int64_t{-2}}});
  EXPECT_THROW(run_sweep(plan, runner, {}), SpecError);
  plan = fake_plan();
  plan.space.configurations.clear();
  EXPECT_THROW(run_sweep(plan, runner, {}), SpecError) << "an empty space";
  EXPECT_TRUE(runner.requests.empty());
}

TEST(Sweep, ARecordedSpaceIsSearchedAsItIsAndWhatItLacksIsNotConfirmed) {
  FakeRunner runner;
  runner.rate = [](const Configuration& c) { return 100.0 * static_cast<double>(*c.integer("depth")); };
  SweepPlan plan;
  plan.header.spec.strategy = "grid";
  plan.header.spec.device = "recorded";
  std::vector<Configuration> recorded;
  for (const std::int64_t depth : {1, 2, 3}) recorded.push_back(Configuration({{"depth", depth}}));
  plan.space = recorded_space(recorded, {});
  plan.components.emplace();
  const Configuration hole({{"depth", std::int64_t{9}}});
  SweepHooks hooks;
  hooks.next_to_confirm = [&](const feedtune::Run& run) {
    return count_stage(run.trials, "confirm") < 6 ? std::vector{recorded[2], recorded[0], hole} : std::vector{hole};
  };
  const feedtune::Run run = run_sweep(plan, runner, hooks);
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(count_stage(run.trials, "component"), 0) << "the record has no parts";
  EXPECT_EQ(count_stage(run.trials, "confirm"), 6);
  for (const TrialResult& trial : run.trials) EXPECT_NE(trial.configuration, hole);
}

TEST(Sweep, CollapsedAxesAreNoted) {
  FakeRunner runner;
  const feedtune::Run run = run_sweep(fake_plan(), runner, {});
  EXPECT_THAT(run.notes, Contains(Field(&RunNote::text, "model_threads: the step runs on virtual:fake")));
}
