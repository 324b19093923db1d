#include "search_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyze/recommend.hpp"
#include "replay/replay_runner.hpp"
#include "search/shuffle.hpp"
#include "sweep/components.hpp"
#include "synthetic_space.hpp"

namespace feedtune {
namespace {

TrialRequest one_trial(const Configuration& configuration, std::int64_t id) {
  TrialRequest request;
  request.id = id;
  request.configuration = configuration;
  request.target.relative_half_width = 0.01;
  return request;
}

double components_cost_s(const SimulatedMachine& on, const Spec& spec) {
  double cost_s = 0;
  std::int64_t id = 0;
  for (TrialRequest request : component_requests(on.space, spec)) {
    request.id = ++id;
    cost_s += on.machine->answer(request, cost_s).cost_s;
  }
  return cost_s;
}

/// The budget of seconds under which components and search cost the share: search = (1 - confirm) (budget - components).
double budget_s(const SimulatedMachine& on, Spec spec, double cost_share) {
  const double wanted_s = cost_share * on.truth.exhaustive_s;
  const double last_trial_s = on.truth.exhaustive_s / static_cast<double>(on.space.configurations.size()) / 2;
  spec.budget.seconds = wanted_s / (1 - confirm_share);
  const double components_s = components_cost_s(on, spec);
  return components_s + std::max(1.0, wanted_s - components_s - last_trial_s) / (1 - confirm_share);
}

}  // namespace

SimulatedMachine::SimulatedMachine(std::uint64_t machine_seed, const SyntheticOptions& options)
    : seed(machine_seed), machine(std::make_unique<const SyntheticMachine>(machine_seed, options)), space(synthetic_space(*machine)) {
  truth.images_per_s = [known = machine.get()](const Configuration& c) { return known->true_images_per_s(c); };
  std::int64_t id = 0;
  for (const Configuration& c : space.configurations) {
    if (const auto rate = machine->true_images_per_s(c)) true_rates.push_back(*rate);
    truth.exhaustive_s += machine->answer(one_trial(c, ++id), 0).cost_s;
  }
  std::sort(true_rates.rbegin(), true_rates.rend());
  if (!true_rates.empty()) truth.fastest_images_per_s = true_rates.front();
}

SweepPlan sweep_plan(const SimulatedMachine& on, const Simulation& simulation) {
  SweepPlan plan;
  plan.space = on.space;
  plan.strategy = simulation.strategy;
  on.machine->describe(plan.header);
  Spec& spec = plan.header.spec;
  spec.device = plan.header.device.name;
  spec.strategy = simulation.strategy.name;
  spec.seed = simulation.seed;
  spec.anchors = false;
  for (const auto& [axis, values] : on.machine->axes()) spec.axes[axis] = values;
  if (simulation.trials) spec.budget.trials = simulation.trials;
  else spec.budget.seconds = budget_s(on, spec, simulation.cost_share);
  return plan;
}

SweepHooks sweep_hooks(const Simulation& simulation) {
  SweepHooks hooks;
  hooks.next_to_confirm = simulation.confirm;
  if (!hooks.next_to_confirm)
    hooks.next_to_confirm = [](const Run& run) { return next_to_confirm(run, {.within = run.spec.within, .max_blocks = RecommendOptions{}.max_blocks}); };
  return hooks;
}

Run simulate(const SimulatedMachine& on, const Simulation& simulation, const ReplayedMachine* machine) {
  ReplayRunner runner(machine != nullptr ? *machine : *on.machine);
  return run_sweep(sweep_plan(on, simulation), runner, sweep_hooks(simulation));
}

Run with_recommendation(Run run) {
  run.recommendation = recommend(run, {.within = run.spec.within, .max_blocks = RecommendOptions{}.max_blocks});
  return run;
}

OneShotSweep sweep_once(const SimulatedMachine& on, std::uint64_t seed) {
  std::vector<Configuration> order = on.space.configurations;
  std::mt19937_64 random(mixed(seed, 0));
  shuffle(order, random);
  double now_s = 0, fastest = 0;
  const Configuration* winner = nullptr;
  std::int64_t id = 0;
  for (const Configuration& c : order) {
    const TrialResult trial = on.machine->answer(one_trial(c, ++id), now_s);
    now_s += trial.cost_s;
    if (!trial.images_per_s || trial.images_per_s->mean <= fastest) continue;
    fastest = trial.images_per_s->mean;
    winner = &c;
  }
  if (winner == nullptr) return {};
  const double truth = on.truth.images_per_s(*winner).value_or(0);
  return {.regret = 1 - truth / on.truth.fastest_images_per_s, .over_report = fastest / truth - 1};
}

PerformanceShare performance(const Run& run, const SimulatedMachine& on) {
  if (on.true_rates.empty()) return {};
  const auto size = static_cast<double>(on.space.configurations.size());
  const double mean_cost_s = on.truth.exhaustive_s / size;
  // Seconds an image of the best of `draws` configurations drawn at random without one twice: the k-th fastest is it when
  // none of the faster ones was drawn. Where none that runs is drawn: the slowest.
  const auto random_best = [&](double draws) {
    double expected = 0, none_faster = 1;
    for (std::size_t k = 0; k < on.true_rates.size() && none_faster > 1e-9; ++k) {
      const double drawn = std::min(1.0, draws / (size - static_cast<double>(k)));
      expected += none_faster * drawn / on.true_rates[k];
      none_faster *= 1 - drawn;
    }
    return expected + none_faster / on.true_rates.back();
  };
  const double optimum = 1 / on.true_rates.front();
  PerformanceShare share;
  double now_s = 0, measured = 0, found = 1 / on.true_rates.back();
  for (const TrialResult& trial : run.trials) {
    if (trial.stage != "explore") continue;
    now_s += trial.cost_s;
    if (trial.images_per_s && trial.images_per_s->mean > measured) {
      measured = trial.images_per_s->mean;
      found = 1 / on.truth.images_per_s(trial.configuration).value_or(on.true_rates.back());
    }
    const double random = random_best(now_s / mean_cost_s);
    share.gained += trial.cost_s * (random - found) / optimum;
    share.possible += trial.cost_s * (random - optimum) / optimum;
  }
  if (now_s > 0) share.gained /= now_s, share.possible /= now_s;
  return share;
}

}  // namespace feedtune
