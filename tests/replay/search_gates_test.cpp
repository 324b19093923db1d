// The gates themselves, and the search at a size that a test can afford (bench/search_gates.cpp: at full size).

#include "search_gates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gaussian_search.hpp"
#include "hill_climb.hpp"

namespace feedtune {
namespace {

TEST(SearchGates, CountsThatOnlyLuckExplainsFollowTheBinomial) {
  // P(X <= 3) = 0.9841, P(X <= 4) = 0.9974 of 20 at 5 % (numbers of any table of the binomial distribution).
  EXPECT_EQ(binomial_limit(20, 0.05), 4);
  EXPECT_EQ(binomial_limit(5, 1), 5);
  EXPECT_NEAR(clopper_pearson_upper(0, 10), 1 - std::pow(0.05, 0.1), 1e-9);  // (1 - p)^10 = 0.05
  EXPECT_EQ(clopper_pearson_upper(3, 3), 1);
}

/// What a good search might show on so many machines.
SearchResults good(std::size_t machines) {
  SearchResults results;
  results.strategies = {"judged", "other"};
  results.trials.assign(2, std::vector<SearchTrial>(machines));
  results.one_shot.assign(machines, {.regret = 0.02, .over_report = 0.07});
  for (std::size_t i = 0; i < machines; ++i) {
    SearchTrial& trial = results.trials[0][i];
    trial.outcome.regret = 0.008 + 0.001 * static_cast<double>(i % 3);
    trial.outcome.recommended_regret = 0.01;
    trial.outcome.search_cost_share = 0.1;
    trial.outcome.bias = i % 2 == 0 ? 0.01 : -0.01;
    trial.outcome.covered = i % 20 != 0;
    trial.outcome.false_gain = i % 50 == 0;
    trial.decided = trial.within = true;
    trial.belief_sd = 0.03;
    results.trials[1][i] = trial;
    results.trials[1][i].outcome.regret = 0.02 + 0.001 * static_cast<double>(i % 5);
  }
  return results;
}

GateInput good_input(std::size_t machines) {
  GateInput input = {.mixed = good(machines), .equal = good(machines), .rough = good(machines), .interacting = good(machines)};
  for (SearchResults* results : {&input.rough, &input.interacting})
    for (SearchTrial& trial : results->trials[0]) trial.belief_sd = 0.05;
  return input;
}

std::vector<std::string> missed(const GateInput& input) {
  std::vector<std::string> names;
  for (const Gate& gate : judge_gates(input))
    if (!gate.met) names.push_back(gate.name);
  return names;
}

TEST(SearchGates, AGoodSearchPassesManyMachinesAndFew) {
  for (const std::size_t machines : {20u, 200u}) EXPECT_EQ(missed(good_input(machines)), std::vector<std::string>()) << machines;
}

TEST(SearchGates, EachFailingIsCaughtByItsGateAndByNoOther) {
  const auto caught = [](const std::function<void(GateInput&)>& spoil) {
    GateInput input = good_input(200);
    spoil(input);
    return missed(input);
  };
  const auto each = [](SearchResults& results, const std::function<void(SearchTrial&, std::size_t)>& change) {
    for (std::size_t i = 0; i < results.trials[0].size(); ++i) change(results.trials[0][i], i);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(caught([&](GateInput& in) { each(in.mixed, [](SearchTrial& t, std::size_t) { *t.outcome.regret += 0.007; }); }), Names{"mean regret"});
  EXPECT_EQ(caught([&](GateInput& in) { each(in.mixed, [](SearchTrial& t, std::size_t i) { if (i % 18 == 0) t.outcome.regret = 0.05; }); }),
            Names{"regret, 95th percentile"});
  EXPECT_EQ(caught([&](GateInput& in) { each(in.mixed, [](SearchTrial& t, std::size_t) { t.outcome.search_cost_share = 0.11; }); }),
            Names{"cost of components and search"});
  EXPECT_EQ(caught([&](GateInput& in) { for (SearchTrial& t : in.mixed.trials[1]) t.outcome.regret = 0.008; }), Names{"mean regret under other's, at equal cost"});
  EXPECT_EQ(caught([&](GateInput& in) { for (OneShotSweep& sweep : in.mixed.one_shot) sweep.regret = 0.005; }), Names{"mean regret not above the one-shot sweep's"});
  EXPECT_EQ(caught([&](GateInput& in) { each(in.mixed, [](SearchTrial& t, std::size_t) { *t.outcome.bias += 0.006; }); }), Names{"bias of the published images/s"});
  EXPECT_EQ(caught([&](GateInput& in) { each(in.mixed, [](SearchTrial& t, std::size_t i) { t.outcome.covered = i % 10 != 0; }); }),
            Names{"coverage of the gain's 95 % interval"});
  EXPECT_EQ(caught([&](GateInput& in) { each(in.mixed, [](SearchTrial& t, std::size_t i) { t.within = i % 10 != 0; }); }), Names{"\"settled\": the loss is under 2 %"});
  EXPECT_EQ(caught([&](GateInput& in) { each(in.equal, [](SearchTrial& t, std::size_t i) { t.outcome.false_gain = i % 16 == 0; }); }),
            (Names{"all equal, a gain claimed", "all equal, a gain claimed: upper bound"}));
  EXPECT_EQ(caught([&](GateInput& in) { in.rough.trials[0][7].outcome.infeasible = true; }), Names{"out of memory recommended"});
  EXPECT_EQ(caught([&](GateInput& in) { each(in.rough, [](SearchTrial& t, std::size_t i) { if (i % 18 == 0) t.outcome.regret = 0.09; }); }),
            Names{"irregular: regret, 95th percentile"});
  EXPECT_EQ(caught([&](GateInput& in) { each(in.interacting, [](SearchTrial& t, std::size_t) { t.belief_sd = 0.02; }); }),
            Names{"interacting: the search believes less than usual"});
}

SearchResults searched(SyntheticFamily family, const std::vector<StrategyEntry>& strategies) {
  SearchTrials plan;
  plan.strategies = strategies;
  plan.machine.family = family;
  plan.machines = 24;
  plan.first_seed = 5000;  // not those of the full size
  plan.one_shot = family == SyntheticFamily::mixed;
  plan.threads = 2;
  return run_trials(plan);
}

TEST(SlowSearchGates, GuidedReachesThemOnAFewMachines) {
  using enum SyntheticFamily;
  const StrategyEntry guided = strategy_named("guided");
  const GateInput input = {.mixed = searched(mixed, {guided, strategy_named("random"), hill_climb(), gaussian_search()}),
                           .equal = searched(all_equal, {guided}),
                           .rough = searched(rough, {guided}),
                           .interacting = searched(interaction, {guided})};
  for (const Gate& gate : judge_gates(input)) EXPECT_TRUE(gate.met) << gate.name << ": " << gate.value << ", want " << gate.limit;
}

/// What tells the gates from a rubber stamp: the same machines, searched at random.
TEST(SlowSearchGates, RandomDrawsDoNotReachThem) {
  using enum SyntheticFamily;
  const StrategyEntry random = strategy_named("random");
  const GateInput input = {.mixed = searched(mixed, {random, strategy_named("guided"), gaussian_search()}),
                           .equal = searched(all_equal, {random}),
                           .rough = searched(rough, {random}),
                           .interacting = searched(interaction, {random})};
  const std::vector<std::string> names = missed(input);
  for (const char* name : {"mean regret", "regret, 95th percentile", "mean regret under guided's, at equal cost"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

}  // namespace
}  // namespace feedtune
