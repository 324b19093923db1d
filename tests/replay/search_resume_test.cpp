// A sweep that was interrupted and goes on ends as one that never was.

#include <gtest/gtest.h>

#include "json/run_json.hpp"
#include "replay/replay_runner.hpp"
#include "search_simulation.hpp"

namespace feedtune {
namespace {

class Journal final : public SweepSink {
 public:
  std::vector<TrialResult> trials;
  std::vector<RunNote> notes;
  void append(const TrialResult& trial) override { trials.push_back(trial); }
  void append(const RunNote& note) override { notes.push_back(note); }
};

/// The result file, but for the note that says that it was resumed.
std::string bytes_of(feedtune::Run run) {
  std::erase_if(run.notes, [](const RunNote& note) { return note.kind == "resumed"; });
  return encode(with_recommendation(std::move(run)));
}

class SearchResume : public testing::TestWithParam<std::string> {};

TEST_P(SearchResume, StoppedAtAnyTrialItEndsWithTheSameBytes) {
  const SimulatedMachine on(11, {.family = SyntheticFamily::mixed, .noise = {}, .small = true});
  Simulation simulation;
  simulation.strategy = strategy_named(GetParam());
  simulation.trials = 60;
  const SweepPlan plan = sweep_plan(on, simulation);
  const feedtune::Run whole = simulate(on, simulation);
  const std::string expected = bytes_of(whole);
  ASSERT_TRUE(whole.complete);
  // Every 7th: components, the search and the confirmation are all cut somewhere.
  for (std::size_t stop_at = 1; stop_at < whole.trials.size(); stop_at += 7) {
    Journal journal;
    SweepHooks hooks = sweep_hooks(simulation);
    hooks.sink = &journal;
    hooks.stop_requested = [&] { return journal.trials.size() >= stop_at; };
    ReplayRunner first(*on.machine);
    ASSERT_FALSE(run_sweep(plan, first, hooks).complete);
    feedtune::Run recorded = plan.header;
    recorded.trials = journal.trials;
    recorded.notes = journal.notes;
    hooks.stop_requested = nullptr;
    ReplayRunner second(*on.machine, simulated_time_after(journal.trials));
    ASSERT_EQ(bytes_of(run_sweep(plan, second, hooks, &recorded)), expected) << "stopped after " << stop_at;
  }
}

std::vector<std::string> strategies() {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : all_strategies()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(EveryStrategy, SearchResume, testing::ValuesIn(strategies()), [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace feedtune
