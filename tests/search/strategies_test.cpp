// Every registered strategy has to pass these.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "core/error.hpp"
#include "search/reference.hpp"
#include "search/shuffle.hpp"
#include "search/strategy.hpp"

using namespace feedtune;

namespace {

std::vector<Configuration> space_of(int batches, int workers) {
  std::vector<Configuration> space;
  for (int b = 0; b < batches; ++b)
    for (int w = 0; w < workers; ++w)
      for (const char* memory : {"pageable", "pinned"}) {
        Configuration configuration;
        configuration.set("batch_size", std::int64_t{16} << b);
        configuration.set("num_workers", std::int64_t{w});
        configuration.set("host_memory", memory);
        space.push_back(configuration);
      }
  std::sort(space.begin(), space.end());
  return space;
}

SearchProblem problem_of(std::vector<Configuration> space, std::uint64_t seed) {
  SearchProblem problem;
  problem.reference = pick_reference(space, 2);
  problem.space = std::move(space);
  problem.seed = seed;
  problem.target.max_time_s = 1.5;
  return problem;
}

using Outcome = std::function<TrialResult(const TrialPlan&)>;

TrialResult fast(const TrialPlan& plan) {
  TrialResult result;
  result.configuration = plan.configuration;
  result.purpose = plan.purpose;
  result.block = plan.block;
  const double workers = static_cast<double>(*plan.configuration.integer("num_workers"));
  result.images_per_s = Interval{100 + 10 * workers, 99 + 10 * workers, 101 + 10 * workers, 10};
  result.cost_s = 2;
  return result;
}

TrialResult failed(const TrialPlan& plan, TrialStatus status) {
  TrialResult result = fast(plan);
  result.images_per_s.reset();
  result.status = status;
  if (status == TrialStatus::out_of_memory) result.memory_kind = MemoryKind::device;
  return result;
}

/// Drives a strategy to its end; every trial it asked for.
std::vector<TrialPlan> drive(Strategy& strategy, const Outcome& outcome) {
  std::vector<TrialPlan> asked;
  for (int blocks = 0; blocks < 10'000; ++blocks) {
    const std::vector<TrialPlan> block = strategy.ask();
    if (block.empty()) return asked;
    std::vector<TrialResult> results;
    for (const TrialPlan& plan : block) {
      asked.push_back(plan);
      results.push_back(outcome(plan));
    }
    strategy.tell(results);
  }
  ADD_FAILURE() << "never ends";
  return asked;
}

std::vector<std::string> keys(const std::vector<TrialPlan>& plans) {
  std::vector<std::string> keys;
  for (const TrialPlan& plan : plans) keys.push_back(std::to_string(plan.block) + ' ' + plan.configuration.key());
  return keys;
}

class EveryStrategy : public testing::TestWithParam<std::string> {
 protected:
  std::vector<TrialPlan> run(const SearchProblem& problem, const Outcome& outcome) const {
    const auto strategy = strategy_named(GetParam()).make(problem);
    return drive(*strategy, outcome);
  }
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const StrategyEntry& entry : all_strategies()) all.push_back(entry.name);
  return all;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Registered, EveryStrategy, testing::ValuesIn(names()), [](const auto& strategy) { return strategy.param; });

TEST_P(EveryStrategy, SameSeedAndResultsGiveTheSamePlanAndAnotherSeedAnotherOrder) {
  const auto first = keys(run(problem_of(space_of(4, 5), 7), fast));
  EXPECT_EQ(keys(run(problem_of(space_of(4, 5), 7), fast)), first);
  EXPECT_NE(keys(run(problem_of(space_of(4, 5), 8), fast)), first);
}

TEST_P(EveryStrategy, AsksOnlyForTheSpaceAndNeverTwiceInABlockButTheReference) {
  const SearchProblem problem = problem_of(space_of(4, 5), 3);
  const std::set<Configuration> space(problem.space.begin(), problem.space.end());
  std::set<std::pair<int, std::string>> seen;
  int block = 0;
  for (const TrialPlan& plan : run(problem, fast)) {
    EXPECT_TRUE(space.contains(plan.configuration)) << plan.configuration.key();
    EXPECT_GE(plan.block, block) << "block numbers only rise";
    block = plan.block;
    EXPECT_EQ(plan.target.max_time_s, 1.5);
    if (plan.configuration == problem.reference) continue;
    EXPECT_TRUE(seen.emplace(plan.block, plan.configuration.key()).second) << plan.block << ' ' << plan.configuration.key();
  }
  EXPECT_FALSE(seen.empty());
}

TEST_P(EveryStrategy, EndsWhenEverythingFails) {
  for (const TrialStatus status : {TrialStatus::crashed, TrialStatus::timeout, TrialStatus::out_of_memory,
                                   TrialStatus::unsupported, TrialStatus::no_steady_state}) {
    const auto asked = run(problem_of(space_of(4, 5), 3), [&](const TrialPlan& plan) { return failed(plan, status); });
    EXPECT_FALSE(asked.empty());
  }
}

TEST_P(EveryStrategy, WhatSurelyRunsOutOfMemoryIsNotAskedForAgain) {
  const SearchProblem problem = problem_of(space_of(7, 6), 5);  // batches 16 to 1024, 84 configurations
  std::map<std::int64_t, int> first_failure_block;
  for (const TrialPlan& plan : run(problem, [](const TrialPlan& p) {
         return *p.configuration.integer("batch_size") >= 256 ? failed(p, TrialStatus::out_of_memory) : fast(p);
       })) {
    const std::int64_t batch = *plan.configuration.integer("batch_size");
    for (const auto& [size, block] : first_failure_block) {
      EXPECT_TRUE(batch < size || plan.block <= block) << plan.configuration.key();
    }
    if (batch >= 256) first_failure_block.try_emplace(batch, plan.block);
  }
  EXPECT_FALSE(first_failure_block.empty());
}

TEST_P(EveryStrategy, CopesWithASingleConfigurationAndWithResultsThatAreMissing) {
  const auto asked = run(problem_of({space_of(1, 1).front()}, 1), fast);
  EXPECT_FALSE(asked.empty());
  const auto strategy = strategy_named(GetParam()).make(problem_of(space_of(3, 3), 1));
  strategy->ask();
  strategy->tell({});
  EXPECT_FALSE(strategy->ask().empty());
}

TEST_P(EveryStrategy, TheOrderOfTheSpaceDoesNotDecideWhatIsMeasured) {
  std::vector<Configuration> space = space_of(4, 5);
  const auto asked_of = [&](const std::vector<Configuration>& configurations) {
    SearchProblem problem = problem_of(configurations, 9);
    problem.reference = pick_reference(space_of(4, 5), 2);
    auto asked = keys(run(problem, fast));
    std::sort(asked.begin(), asked.end());
    return asked;
  };
  const auto sorted = asked_of(space);
  std::mt19937_64 random(4);
  shuffle(space, random);
  EXPECT_EQ(asked_of(space), sorted);
}

TEST_P(EveryStrategy, EndsWhenAllIsEqualAndWhenTrialsFailAtRandom) {
  const SearchProblem problem = problem_of(space_of(4, 5), 3);
  EXPECT_FALSE(run(problem, [](const TrialPlan& plan) {
                 TrialResult result = fast(plan);
                 result.images_per_s = Interval{100, 99, 101, 10};
                 return result;
               }).empty());
  std::mt19937_64 random(5);
  std::set<std::string> worked;
  const auto asked = run(problem, [&](const TrialPlan& plan) {
    const std::uint64_t draw = random() % 10;
    if (draw == 0) return failed(plan, TrialStatus::crashed);
    if (draw == 1) return failed(plan, TrialStatus::no_steady_state);
    worked.insert(plan.configuration.key());
    return fast(plan);
  });
  EXPECT_GT(worked.size(), 1u);
}

TEST_P(EveryStrategy, SmallBudgetsEndTooAndEachPlanKeepsToTheRules) {
  for (const Budget budget : {Budget{.seconds = {}, .trials = 1}, Budget{.seconds = {}, .trials = 7}, Budget{.seconds = 0.5, .trials = {}},
                              Budget{.seconds = 30.0, .trials = {}}, Budget{.seconds = 30.0, .trials = 5}}) {
    SearchProblem problem = problem_of(space_of(4, 5), 3);
    problem.budget = budget;
    std::set<std::pair<int, std::string>> seen;
    const auto asked = run(problem, fast);
    EXPECT_FALSE(asked.empty());
    for (const TrialPlan& plan : asked)
      if (plan.configuration != problem.reference) {
        EXPECT_TRUE(seen.emplace(plan.block, plan.configuration.key()).second) << plan.block << ' ' << plan.configuration.key();
      }
  }
}

TEST_P(EveryStrategy, TakesAxesThatFeedtuneNeverHeardOf) {
  std::vector<Configuration> space;
  for (const std::int64_t depth : {1, 2, 4, 8})
    for (const char* flux : {"low", "high"}) space.push_back(Configuration({{"depth", depth}, {"flux", flux}}));
  const auto asked = run(problem_of(space, 3), [](const TrialPlan& plan) {
    TrialResult result;
    result.configuration = plan.configuration;
    result.block = plan.block;
    const double rate = 100 * static_cast<double>(plan.configuration.integer("depth").value_or(1));
    result.images_per_s = Interval{rate, 0.99 * rate, 1.01 * rate, 10};
    result.cost_s = 2;
    return result;
  });
  std::set<Configuration> seen;
  for (const TrialPlan& plan : asked)
    if (plan.purpose == Purpose::trial) seen.insert(plan.configuration);
  EXPECT_TRUE(seen.contains(Configuration({{"depth", std::int64_t{8}}, {"flux", "low"}})) || seen.contains(Configuration({{"depth", std::int64_t{8}}, {"flux", "high"}})))
      << "the fastest was never tried";
}

TEST(Strategies, GridMeasuresEveryConfigurationOnceAndTheReferenceAroundEachBlock) {
  const SearchProblem problem = problem_of(space_of(4, 5), 3);  // 40 configurations
  const auto asked = drive(*strategy_named("grid").make(problem), fast);
  std::map<std::string, int> count;
  std::map<int, std::vector<TrialPlan>> blocks;
  for (const TrialPlan& plan : asked) {
    ++count[plan.configuration.key()];
    blocks[plan.block].push_back(plan);
  }
  EXPECT_EQ(count.size(), problem.space.size());
  for (const auto& [key, times] : count) {
    EXPECT_TRUE(times == 1 || key == problem.reference.key()) << key;
  }
  EXPECT_EQ(asked.front().configuration, problem.reference);
  for (const auto& [block, plans] : blocks) EXPECT_EQ(plans.back().configuration, problem.reference) << block;
}

TEST(Strategies, GridSpreadsBatchSizesSoThatAnEarlyEndHasSeenThemAll) {
  const SearchProblem problem = problem_of(space_of(4, 8), 11);  // 64 configurations, 16 a batch size
  const auto asked = drive(*strategy_named("grid").make(problem), fast);
  std::map<std::int64_t, int> in_first_half;
  for (std::size_t i = 0; i < asked.size() / 2; ++i) {
    if (asked[i].configuration != problem.reference) ++in_first_half[*asked[i].configuration.integer("batch_size")];
  }
  for (const std::int64_t batch : {16, 32, 64, 128}) EXPECT_NEAR(in_first_half[batch], 8, 2) << batch;
}

TEST(Strategies, HalvingMeasuresTheBetterHalfAgainUntilTheBestIsLeft) {
  const SearchProblem problem = problem_of(space_of(4, 5), 3);  // 40: the reference and 39 others, of which 8 with 4 workers
  std::map<std::string, int> count;
  const auto asked = drive(*strategy_named("halving").make(problem), fast);
  for (const TrialPlan& plan : asked) ++count[plan.configuration.key()];
  std::map<int, int> with_at_least;  // rungs: 39, 20, 10, 5, 3, 2
  for (const auto& [key, times] : count)
    for (int rung = 1; rung <= times && key != problem.reference.key(); ++rung) ++with_at_least[rung];
  EXPECT_EQ(with_at_least, (std::map<int, int>{{1, 39}, {2, 20}, {3, 10}, {4, 5}, {5, 3}, {6, 2}}));
  for (const auto& [key, times] : count) {
    EXPECT_TRUE(times < 4 || key == problem.reference.key() || key.find("num_workers=4") != std::string::npos) << key << " was kept, a slower one";
  }
}

TEST(Strategies, HalvingFollowsTheReferenceAndNotTheMachinesDrift) {
  // Whatever is measured late looks 40 % faster; the reference shows it.
  const SearchProblem problem = problem_of(space_of(4, 5), 3);
  int trials = 0;
  std::map<std::string, int> count;
  for (const TrialPlan& plan : drive(*strategy_named("halving").make(problem), [&](const TrialPlan& p) {
         TrialResult result = fast(p);
         if (++trials > 24) result.images_per_s->mean *= 1.4;
         return result;
       }))
    ++count[plan.configuration.key()];
  for (const auto& [key, times] : count) {
    EXPECT_TRUE(times < 4 || key == problem.reference.key() || key.find("num_workers=4") != std::string::npos) << key << " was kept, a slower one";
  }
}

TEST(Strategies, HalvingWithABudgetForFewTrialsHalvesAPartOfTheSpaceWithinIt) {
  for (const auto& [budget, most] : {std::pair{Budget{.seconds = {}, .trials = 30}, 20u}, std::pair{Budget{.seconds = 60.0, .trials = {}}, 20u}}) {
    SearchProblem problem = problem_of(space_of(4, 5), 3);
    problem.budget = budget;  // a trial costs 2 s
    const auto asked = drive(*strategy_named("halving").make(problem), fast);
    EXPECT_LE(asked.size(), most + 6) << "65 % of 30 trials, and a reference to each short rung";
    std::map<std::string, int> count;
    for (const TrialPlan& plan : asked) ++count[plan.configuration.key()];
    EXPECT_GE(count.size(), 8u);
    EXPECT_TRUE(std::any_of(count.begin(), count.end(), [&](const auto& c) { return c.first != problem.reference.key() && c.second > 2; }));
  }
}

TEST(Strategies, AnUnknownOneIsNamedWithTheNearest) {
  try {
    strategy_named("gird");
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("strategy: unknown strategy \"gird\", did you mean grid? known: grid"))
        << error.what();
  }
}

TEST(Reference, FitsAndKeepsTheCpusBusy) {
  const auto space = space_of(7, 6);
  const Configuration reference = pick_reference(space, 2);
  EXPECT_EQ(reference.integer("batch_size"), 64);
  EXPECT_EQ(reference.integer("num_workers"), 2);
  EXPECT_EQ(pick_reference(std::vector{space.front()}, 8), space.front());
}
