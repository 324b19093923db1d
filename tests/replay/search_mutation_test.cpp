// What each precaution is for: without it some gate of the search is missed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/recommend.hpp"
#include "replay/seeded_draw.hpp"
#include "search_gates.hpp"

namespace feedtune {
namespace {

/// One sweep of each machine, finished by `sweep`, judged.
SearchResults results_of(int machines, const std::function<Run(const SimulatedMachine&, Simulation)>& sweep) {
  SearchResults results;
  results.strategies = {"random"};
  results.trials.resize(1);
  for (int i = 0; i < machines; ++i) {
    const SimulatedMachine on(7000 + static_cast<std::uint64_t>(i), {.family = SyntheticFamily::mixed, .noise = {}, .small = true});
    Simulation simulation;
    simulation.strategy = strategy_named("random");
    simulation.seed = on.seed;
    simulation.trials = 100;
    results.trials[0].push_back(judge_trial(with_recommendation(sweep(on, simulation)), on));
  }
  return results;
}

bool misses(const SearchResults& results, const std::string& name) {
  const GateInput input = {.mixed = results, .equal = results, .rough = results, .interacting = results};
  for (const Gate& gate : judge_gates(input, 1'000'000))
    if (gate.name == name) return !gate.met;
  ADD_FAILURE() << "no gate " << name;
  return false;
}

Run usual(const SimulatedMachine& on, const Simulation& simulation) { return simulate(on, simulation); }

TEST(SearchMutation, WithoutFreshConfirmationTheLuckiestTrialIsPublished) {
  const std::string gate = "bias of the published images/s";
  EXPECT_FALSE(misses(results_of(60, usual), gate));
  EXPECT_TRUE(misses(results_of(60,
                                [](const SimulatedMachine& on, const Simulation& simulation) {
                                  feedtune::Run run = simulate(on, simulation);
                                  std::erase_if(run.trials, [](const TrialResult& trial) { return trial.stage == "confirm"; });
                                  return run;
                                }),
                     gate));
}

/// The first block's configurations one after the other, five times each: what blocks are there to prevent.
std::function<std::vector<Configuration>(const Run&)> one_after_the_other() {
  return [left = std::optional<std::vector<Configuration>>()](const Run& run) mutable {
    if (!left) {
      left.emplace();
      for (const Configuration& c : next_to_confirm(run, {})) left->insert(left->end(), 5, c);
    }
    if (left->empty()) return std::vector<Configuration>();
    const Configuration next = left->back();
    left->pop_back();
    return std::vector<Configuration>{next};
  };
}

/// Compares the first trials of all, then the second, as if each had been one block.
Run paired_by_count(Run run) {
  std::map<Configuration, int> count;
  for (TrialResult& trial : run.trials)
    if (trial.stage == "confirm") trial.block = 1'000'000 + ++count[trial.configuration];
  return run;
}

TEST(SearchMutation, WithoutPairsThatWereMeasuredTogetherIntervalsMissTheTruth) {
  const std::string gate = "coverage of the gain's 95 % interval";
  EXPECT_FALSE(misses(results_of(100, usual), gate));
  EXPECT_TRUE(misses(results_of(100,
                                [](const SimulatedMachine& on, Simulation simulation) {
                                  simulation.confirm = one_after_the_other();
                                  return paired_by_count(simulate(on, simulation));
                                }),
                     gate));
}

/// Counts the batches that were queued when a trial's clock started, as a trial without window correction would.
class UncorrectedWindow final : public ReplayedMachine {
 public:
  explicit UncorrectedWindow(const ReplayedMachine& machine) : machine_(machine) {}
  TrialResult answer(const TrialRequest& request, double now_s) const override {
    TrialResult result = machine_.answer(request, now_s);
    if (!result.images_per_s || request.purpose != Purpose::trial) return result;
    const Configuration& c = request.configuration;
    const auto workers = c.integer("num_workers").value_or(0);
    const auto queued = static_cast<double>(workers == 0 ? 0 : c.integer("ready_batches").value_or(workers * c.integer("prefetch").value_or(2)));
    const double extra = 1 + queued / static_cast<double>(result.measured_steps);
    for (double* rate : {&result.images_per_s->mean, &result.images_per_s->low, &result.images_per_s->high}) *rate *= extra;
    return result;
  }
  std::optional<double> true_images_per_s(const Configuration& c) const override { return machine_.true_images_per_s(c); }

 private:
  const ReplayedMachine& machine_;
};

TEST(SearchMutation, WithoutWindowCorrectionQueuedBatchesPassForThroughput) {
  const std::string gate = "bias of the published images/s";
  EXPECT_FALSE(misses(results_of(30, usual), gate));
  EXPECT_TRUE(misses(results_of(30,
                                [](const SimulatedMachine& on, const Simulation& simulation) {
                                  const UncorrectedWindow uncorrected(*on.machine);
                                  return simulate(on, simulation, &uncorrected);
                                }),
                     gate));
}

/// One configuration and 15 that are truly 2.05 % slower, in 10 blocks with 2 % of noise.
Run close_race(std::uint64_t seed) {
  SeededDraw draw(seed, 0);
  feedtune::Run run;
  for (int block = 1; block <= 10; ++block)
    for (std::int64_t workers = 1; workers <= 16; ++workers) {
      TrialResult trial;
      trial.configuration.set("batch_size", std::int64_t{64});
      trial.configuration.set("num_workers", workers);
      trial.stage = "confirm";
      trial.block = block;
      const double rate = 1000 * (workers == 16 ? 1 : 1 - 0.0205) * std::exp(0.02 * draw.normal());
      trial.images_per_s = Interval{rate, rate * 0.99, rate * 1.01, 20};
      run.trials.push_back(trial);
    }
  return run;
}

bool is_truly_best(const Candidate& candidate) { return candidate.configuration.integer("num_workers") == 16; }

bool calls_a_slower_one_equivalent(const Run& run) {
  const Recommendation r = recommend(run, {});
  return std::any_of(r.equivalent.begin(), r.equivalent.end(), [](const Candidate& c) { return !is_truly_best(c); });
}

TEST(SearchMutation, WithoutCorrectionForManyRivalsASlowerOnePassesForEquivalent) {
  constexpr int runs = 300;
  int corrected = 0, alone = 0;
  for (int i = 0; i < runs; ++i) {
    const feedtune::Run run = close_race(static_cast<std::uint64_t>(i));
    corrected += calls_a_slower_one_equivalent(run);
    // Each against the best as if there were no others.
    bool any = false;
    for (std::int64_t workers = 1; workers < 16 && !any; ++workers) {
      feedtune::Run pair = run;
      std::erase_if(pair.trials, [&](const TrialResult& t) { return t.configuration.integer("num_workers") != 16 && t.configuration.integer("num_workers") != workers; });
      any = calls_a_slower_one_equivalent(pair);
    }
    alone += any;
  }
  EXPECT_LE(corrected, binomial_limit(runs, 0.05));
  EXPECT_GT(alone, binomial_limit(runs, 0.05));
}

}  // namespace
}  // namespace feedtune
