#include "sweep/resume.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/error.hpp"
#include "sweep/fake_sweep.hpp"

using namespace feedtune;

namespace {

/// Sweeps until `stop_at` trials were started, then goes on from what the journal holds.
Run interrupted_and_resumed(const SweepPlan& plan, std::size_t stop_at, int& measured) {
  MemorySink journal;
  FakeRunner first;
  bool stop = false;
  first.interrupt = [&] { return stop = first.requests.size() >= stop_at; };
  SweepHooks hooks = {.next_to_confirm = confirm_fastest(1000), .stop_requested = [&] { return stop; }, .sink = &journal};
  const feedtune::Run cut = run_sweep(plan, first, hooks);
  EXPECT_FALSE(cut.complete);

  feedtune::Run recorded = plan.header;
  recorded.trials = journal.trials;
  recorded.notes = journal.notes;
  FakeRunner second;
  hooks.stop_requested = nullptr;
  feedtune::Run run = run_sweep(plan, second, hooks, &recorded);
  EXPECT_EQ(journal.trials.size(), run.trials.size()) << "each trial is in the journal once";
  measured = static_cast<int>(second.requests.size());
  return run;
}

}  // namespace

TEST(Resume, InterruptedAtAnyTrialASweepEndsWithTheSameTrialsAsUninterrupted) {
  for (const char* strategy : {"grid", "random"}) {
    const SweepPlan plan = fake_plan(strategy, {.seconds = {}, .trials = 44});
    FakeRunner runner;
    const feedtune::Run whole = run_sweep(plan, runner, {.next_to_confirm = confirm_fastest(1000)});
    for (std::size_t k = 1; k <= whole.trials.size(); ++k) {
      int measured = 0;
      const feedtune::Run resumed = interrupted_and_resumed(plan, k, measured);
      ASSERT_EQ(identities(resumed.trials), identities(whole.trials)) << strategy << " interrupted at " << k;
      EXPECT_EQ(measured, static_cast<int>(whole.trials.size() - k + 1)) << "measured again what the journal had";
      EXPECT_TRUE(resumed.complete);
      EXPECT_THAT(resumed.notes, testing::Each(testing::Field(&RunNote::kind, testing::Ne("interrupted"))))
          << "a finished run must not read as if it had been cut";
    }
  }
}

TEST(Resume, ABudgetOfSecondsIsNotStretchedByThePause) {
  const SweepPlan plan = fake_plan("grid", {.seconds = 100, .trials = {}});
  FakeRunner runner;
  const feedtune::Run whole = run_sweep(plan, runner, {.next_to_confirm = confirm_fastest(1000)});
  for (std::size_t k = 1; k <= whole.trials.size(); k += 3) {
    int measured = 0;
    EXPECT_EQ(identities(interrupted_and_resumed(plan, k, measured).trials), identities(whole.trials)) << k;
  }
}

TEST(Resume, AFinishedRunMeasuresNothingMoreAndRepeatsNoNote) {
  const SweepPlan plan = fake_plan("grid", {.seconds = {}, .trials = 20});
  FakeRunner runner, again;
  const feedtune::Run whole = run_sweep(plan, runner, {.next_to_confirm = confirm_fastest(1000)});
  MemorySink sink;
  const feedtune::Run resumed = run_sweep(plan, again, {.next_to_confirm = confirm_fastest(1000), .sink = &sink}, &whole);
  EXPECT_TRUE(again.requests.empty());
  EXPECT_TRUE(sink.trials.empty());
  ASSERT_EQ(sink.notes.size(), 1u);
  EXPECT_EQ(sink.notes[0].kind, "resumed");
}

TEST(Resume, AJournalOfAnotherPlanIsRefusedBeforeAnythingIsMeasured) {
  FakeRunner runner, again;
  const feedtune::Run whole = run_sweep(fake_plan(), runner, {});
  SweepPlan other = fake_plan();
  other.header.spec.seed = 99;
  EXPECT_THROW(run_sweep(other, again, {}, &whole), InputError);
  EXPECT_TRUE(again.requests.empty());
}

TEST(Resume, EveryDifferenceOfTheSpecIsListed) {
  feedtune::Run recorded = fake_plan().header;
  recorded.data.digest = "abc";
  feedtune::Run asked = recorded;
  asked.spec.origin["seed"] = "flag";
  asked.spec.data = "./spelt/differently";
  EXPECT_NO_THROW(check_resumable(recorded, asked, "runs/a"));

  const std::map<std::string, std::function<void(feedtune::Run&)>> changes = {
      {"seed: 7 -> 8", [](feedtune::Run& run) { run.spec.seed = 8; }},
      {"strategy: grid -> random", [](feedtune::Run& run) { run.spec.strategy = "random"; }},
      {"budget's trials: none -> 5", [](feedtune::Run& run) { run.spec.budget.trials = 5; }},
      {"budget's seconds: none -> 60", [](feedtune::Run& run) { run.spec.budget.seconds = 60; }},
      {"trial_time_s: 3 -> 1", [](feedtune::Run& run) { run.spec.trial_time_s = 1; }},
      {"cache: warm -> cold", [](feedtune::Run& run) { run.spec.cache = CachePolicy::cold; }},
      {"image_size: 224 -> 64", [](feedtune::Run& run) { run.spec.image_size = 64; }},
      {"anchors: on -> off", [](feedtune::Run& run) { run.spec.anchors = false; }},
      {"within: 0.02 -> 0.05", [](feedtune::Run& run) { run.spec.within = 0.05; }},
      {"device: virtual:fake -> cpu", [](feedtune::Run& run) { run.spec.device = "cpu"; }},
      {"model: none -> mixer-nano", [](feedtune::Run& run) { run.spec.model = "mixer-nano"; }},
      {"step: none -> 85ms@64", [](feedtune::Run& run) { run.spec.step_times = {{85, 64}}; }},
      {"axes.loader: batch_per_worker -> default", [](feedtune::Run& run) { run.spec.axes.erase("loader"); }},
      {"axes.num_workers: 0, 1, 4, 8 -> 0", [](feedtune::Run& run) { run.spec.axes["num_workers"].resize(1); }},
      {"current: none -> num_workers=1", [](feedtune::Run& run) { run.spec.current = Configuration({{"num_workers", std::int64_t{1}}}); }},
      {"replay's digest: none -> 1f", [](feedtune::Run& run) { run.spec.replay = ReplaySource{.file = "a.csv", .digest = "1f"}; }},
      {"baseline: default -> num_workers=1", [](feedtune::Run& run) { run.spec.baseline = Configuration({{"num_workers", std::int64_t{1}}}); }},
      {"data's digest: abc -> def", [](feedtune::Run& run) { run.data.digest = "def"; }},
      {"effective CPUs: 1 -> 2", [](feedtune::Run& run) { run.machine.cpus.effective = 2; }},
  };
  asked = recorded;
  for (const auto& [text, change] : changes) {
    feedtune::Run one = recorded;
    change(one);
    change(asked);
    try {
      check_resumable(recorded, one, "runs/a");
      ADD_FAILURE() << text << " was let through";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("(" + text + ")"));
      EXPECT_EQ(error.where(), "runs/a");
    }
  }
  try {
    check_resumable(recorded, asked, "runs/a");
    ADD_FAILURE();
  } catch (const InputError& error) {
    for (const auto& entry : changes) EXPECT_THAT(error.what(), testing::HasSubstr(entry.first));
  }
}
