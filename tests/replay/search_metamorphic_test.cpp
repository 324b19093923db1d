// What must not change the answer of a search, for every strategy.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "json/run_json.hpp"
#include "replay/replay_runner.hpp"
#include "search_simulation.hpp"

namespace feedtune {
namespace {

SyntheticOptions small_machine() { return {.family = SyntheticFamily::mixed, .noise = {}, .small = true}; }

Simulation simulation_of(const std::string& strategy) {
  Simulation simulation;
  simulation.strategy = strategy_named(strategy);
  simulation.trials = 60;
  return simulation;
}

using Asked = std::vector<std::pair<std::string, double>>;  ///< configuration and images/s (0: failed)

/// What a strategy asks for when `machine` answers, told nothing else: without the loop, so that axes may have any name.
Asked asked(const std::string& strategy, SearchProblem problem, const ReplayedMachine& machine, std::size_t most) {
  problem.budget.trials = static_cast<std::int64_t>(most);
  const auto search = strategy_named(strategy).make(problem);
  Asked all;
  double now_s = 0;
  std::int64_t id = 0;
  while (all.size() < most) {
    const std::vector<TrialPlan> block = search->ask();
    if (block.empty()) break;
    std::vector<TrialResult> results;
    for (const TrialPlan& plan : block) {
      TrialRequest request;
      request.id = ++id;
      request.configuration = plan.configuration;
      request.target = plan.target;
      TrialResult result = machine.answer(request, now_s);
      now_s += result.cost_s;
      result.id = id;
      result.configuration = plan.configuration;
      result.stage = "explore";
      result.block = plan.block;
      result.order = static_cast<int>(id);
      all.emplace_back(plan.configuration.key(), result.images_per_s ? result.images_per_s->mean : 0);
      results.push_back(std::move(result));
    }
    search->tell(results);
  }
  return all;
}

SearchProblem problem_of(const SimulatedMachine& on) {
  SearchProblem problem;
  problem.space = on.space.configurations;
  problem.reference = problem.space[problem.space.size() / 2];
  problem.context = on.space.context;
  return problem;
}

double best_truth(const Asked& trials, const ReplayedMachine& machine, const std::vector<Configuration>& space) {
  double fastest = 0, truth = 0;
  for (const auto& [key, rate] : trials) {
    if (rate <= fastest) continue;
    fastest = rate;
    for (const Configuration& c : space)
      if (c.key() == key) truth = machine.true_images_per_s(c).value_or(0);
  }
  return truth;
}

class SearchMetamorphic : public testing::TestWithParam<std::string> {};

TEST_P(SearchMetamorphic, TheSameSeedGivesTheSameBytesAndAnotherOneOthers) {
  const SimulatedMachine on(21, small_machine());
  Simulation simulation = simulation_of(GetParam());
  const std::string once = encode(with_recommendation(simulate(on, simulation)));
  EXPECT_EQ(once, encode(with_recommendation(simulate(on, simulation))));
  simulation.seed = 2;
  EXPECT_NE(once, encode(with_recommendation(simulate(on, simulation))));
}

/// A machine on which everything takes twice as long.
class TwiceAsSlow final : public ReplayedMachine {
 public:
  explicit TwiceAsSlow(const ReplayedMachine& machine) : machine_(machine) {}
  TrialResult answer(const TrialRequest& request, double now_s) const override {
    TrialRequest half = request;
    half.target.min_time_s /= 2;
    half.target.max_time_s /= 2;
    half.target.relative_half_width *= std::sqrt(2.0);
    TrialResult result = machine_.answer(half, now_s / 2);
    result.cost_s *= 2;
    result.measured_s *= 2;
    if (result.startup_s) *result.startup_s *= 2;
    if (result.host.cpu_s_per_image) *result.host.cpu_s_per_image *= 2;
    if (result.images_per_s)
      for (double* rate : {&result.images_per_s->mean, &result.images_per_s->low, &result.images_per_s->high}) *rate /= 2;
    for (auto& [name, ms] : result.worker_ms_per_image) ms *= 2;
    for (auto& [name, phase] : result.phases)
      for (double* ms : {&phase.mean, &phase.p50, &phase.p95, &phase.p99, &phase.max}) *ms *= 2;
    return result;
  }
  std::optional<double> true_images_per_s(const Configuration& c) const override {
    const auto rate = machine_.true_images_per_s(c);
    return rate ? std::optional(*rate / 2) : std::nullopt;
  }

 private:
  const ReplayedMachine& machine_;
};

TEST_P(SearchMetamorphic, AMachineTwiceAsSlowIsSearchedNoWorse) {
  double usual = 0, slow = 0;
  constexpr std::uint64_t machines = 8;
  for (std::uint64_t seed = 30; seed < 30 + machines; ++seed) {
    const SimulatedMachine on(seed, small_machine());
    const TwiceAsSlow twice(*on.machine);
    const Asked a = asked(GetParam(), problem_of(on), *on.machine, 40), b = asked(GetParam(), problem_of(on), twice, 40);
    usual += best_truth(a, *on.machine, on.space.configurations) / on.truth.fastest_images_per_s / machines;
    slow += 2 * best_truth(b, twice, on.space.configurations) / on.truth.fastest_images_per_s / machines;
  }
  // A trial that is chosen by noise loses about the noise: 2 % over the root of the machines, twice for a difference.
  EXPECT_NEAR(slow, usual, 3 * std::sqrt(2.0) * 0.03 / std::sqrt(static_cast<double>(machines)));
}

TEST_P(SearchMetamorphic, TheOrderOfTheConfigurationsMeansLittle) {
  double sorted = 0, reversed = 0;
  constexpr std::uint64_t machines = 8;
  for (std::uint64_t seed = 30; seed < 30 + machines; ++seed) {
    const SimulatedMachine on(seed, small_machine());
    SearchProblem problem = problem_of(on);
    sorted += best_truth(asked(GetParam(), problem, *on.machine, 40), *on.machine, problem.space) / on.truth.fastest_images_per_s / machines;
    std::reverse(problem.space.begin(), problem.space.end());
    reversed += best_truth(asked(GetParam(), problem, *on.machine, 40), *on.machine, problem.space) / on.truth.fastest_images_per_s / machines;
  }
  EXPECT_NEAR(reversed, sorted, 0.06);
}

Configuration renamed(const Configuration& c) {
  Configuration other;
  for (const auto& [axis, value] : c.values()) other.set("x_" + axis, value);
  return other;
}

/// A machine whose axes have names that nobody knows.
class Renamed final : public ReplayedMachine {
 public:
  explicit Renamed(const ReplayedMachine& machine) : machine_(machine) {}
  TrialResult answer(const TrialRequest& request, double now_s) const override {
    TrialRequest known = request;
    known.configuration = original(request.configuration);
    return machine_.answer(known, now_s);
  }
  std::optional<double> true_images_per_s(const Configuration& c) const override { return machine_.true_images_per_s(original(c)); }

 private:
  static Configuration original(const Configuration& c) {
    Configuration known;
    for (const auto& [axis, value] : c.values()) known.set(axis.substr(2), value);
    return known;
  }
  const ReplayedMachine& machine_;
};

TEST_P(SearchMetamorphic, AxesThatNobodyKnowsAreSearchedAllTheSame) {
  const SimulatedMachine on(22, small_machine());
  const Renamed strange(*on.machine);
  SearchProblem problem = problem_of(on);
  problem.reference = renamed(problem.reference);
  for (Configuration& c : problem.space) c = renamed(c);
  problem.context.planned_device_bytes = nullptr;
  const Asked trials = asked(GetParam(), problem, strange, 50);
  EXPECT_GE(trials.size(), 25u);  // halving ends sooner than its budget
  EXPECT_GE(best_truth(trials, strange, problem.space), 0.8 * on.truth.fastest_images_per_s);
}

/// Twins of all configurations, under another storage, that are half as fast.
class WithSlowTwins final : public ReplayedMachine {
 public:
  explicit WithSlowTwins(const ReplayedMachine& machine) : machine_(machine) {}
  TrialResult answer(const TrialRequest& request, double now_s) const override {
    TrialRequest known = request;
    known.configuration.set("storage", std::string("files"));
    TrialResult result = machine_.answer(known, now_s);
    if (is_twin(request.configuration) && result.images_per_s)
      for (double* rate : {&result.images_per_s->mean, &result.images_per_s->low, &result.images_per_s->high}) *rate /= 2;
    return result;
  }
  std::optional<double> true_images_per_s(const Configuration& c) const override {
    const auto rate = machine_.true_images_per_s(c);
    return rate && is_twin(c) ? std::optional(*rate / 2) : rate;
  }
  static bool is_twin(const Configuration& c) { return c.text("storage") == "memory"; }

 private:
  const ReplayedMachine& machine_;
};

TEST_P(SearchMetamorphic, DominatedConfigurationsAreNotWhatIsFound) {
  for (std::uint64_t seed = 40; seed < 44; ++seed) {
    const SimulatedMachine on(seed, small_machine());
    const WithSlowTwins machine(*on.machine);
    SearchProblem problem = problem_of(on);
    for (Configuration twin : on.space.configurations) {
      twin.set("storage", std::string("memory"));
      problem.space.push_back(twin);
    }
    const Asked trials = asked(GetParam(), problem, machine, 60);
    const auto fastest = std::max_element(trials.begin(), trials.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    EXPECT_EQ(fastest->first.find("storage=memory"), std::string::npos) << seed;
    EXPECT_GE(best_truth(trials, machine, problem.space), 0.8 * on.truth.fastest_images_per_s) << seed;
  }
}

std::vector<std::string> strategies() {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : all_strategies()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(EveryStrategy, SearchMetamorphic, testing::ValuesIn(strategies()), [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace feedtune
