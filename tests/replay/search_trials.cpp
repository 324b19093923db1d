#include "search_trials.hpp"

#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "measure/statistics.hpp"
#include "measure/student_t.hpp"
#include "search/belief.hpp"

namespace feedtune {

namespace {

double belief_sd(const Run& run, const SimulatedMachine& on) {
  SearchProblem problem;
  problem.space = on.space.configurations;
  problem.context = on.space.context;
  std::vector<TrialResult> searched;
  for (const TrialResult& trial : run.trials) {
    if (trial.stage == "component") problem.components.push_back(trial);
    if (trial.stage == "explore") searched.push_back(trial);
  }
  Belief belief(problem.space, problem);
  belief.tell(searched);
  belief.update();
  Moments unknown;
  for (std::size_t i = 0; i < belief.space().size(); ++i)
    if (belief.measured(i) == 0 && belief.allowed(i)) unknown.add(belief.sd(i));
  return unknown.mean();
}

}  // namespace

SearchTrial judge_trial(const Run& run, const SimulatedMachine& on) {
  SearchTrial trial;
  trial.outcome = judge_search(run, on.truth);
  trial.performance = performance(run, on);
  const Recommendation recommendation = run.recommendation.value_or(Recommendation{});
  trial.decided = recommendation.decided;
  trial.within = trial.outcome.recommended_regret.value_or(1) <= recommendation.within;
  if (run.spec.strategy == "guided") trial.belief_sd = belief_sd(run, on);
  return trial;
}

SearchResults run_trials(const SearchTrials& plan) {
  const auto machines = static_cast<std::size_t>(plan.machines);
  SearchResults results;
  for (const StrategyEntry& strategy : plan.strategies) results.strategies.push_back(strategy.name);
  results.trials.assign(plan.strategies.size(), std::vector<SearchTrial>(machines));
  if (plan.one_shot) results.one_shot.resize(machines);
  std::atomic<std::size_t> next{0};
  std::mutex told;
  int done = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < machines; i = next++) {
        const std::uint64_t seed = plan.first_seed + i;
        const SimulatedMachine on(seed, plan.machine);
        for (std::size_t s = 0; s < plan.strategies.size(); ++s) {
          Simulation simulation;
          simulation.strategy = plan.strategies[s];
          simulation.seed = seed;
          simulation.cost_share = plan.cost_share;
          results.trials[s][i] = judge_trial(with_recommendation(simulate(on, simulation)), on);
        }
        if (plan.one_shot) results.one_shot[i] = sweep_once(on, seed);
        const std::lock_guard lock(told);
        if (plan.progress) plan.progress(++done);
      }
    } catch (...) {
      const std::lock_guard lock(told);
      failure = std::current_exception();
      next = machines;
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 1; i < plan.threads; ++i) threads.emplace_back(work);
  work();
  threads.clear();
  if (failure) std::rethrow_exception(failure);
  return results;
}

double paired_p(const std::vector<SearchTrial>& better, const std::vector<SearchTrial>& worse) {
  Moments differences;
  for (std::size_t i = 0; i < better.size(); ++i)
    differences.add(worse[i].outcome.regret.value_or(0) - better[i].outcome.regret.value_or(0));
  const auto n = static_cast<double>(differences.count());
  if (n < 2 || differences.deviation() == 0) return differences.mean() > 0 ? 0 : 1;
  return 1 - student_t_cdf(differences.mean() / (differences.deviation() / std::sqrt(n)), n - 1);
}

std::vector<SearchOutcome> outcomes_of(const std::vector<SearchTrial>& trials) {
  std::vector<SearchOutcome> outcomes;
  for (const SearchTrial& trial : trials) outcomes.push_back(trial.outcome);
  return outcomes;
}

}  // namespace feedtune
