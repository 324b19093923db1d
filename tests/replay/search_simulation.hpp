#pragma once
// Whole sweeps on a made-up machine, as feedtune's own loop runs them, on the manual clock.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analyze/search_outcome.hpp"
#include "replay/synthetic_machine.hpp"
#include "search/strategy.hpp"
#include "space/space.hpp"
#include "sweep/sweep.hpp"

namespace feedtune {

/// A machine with everything a judge has to know about it. Safe from many threads.
struct SimulatedMachine {
  SimulatedMachine(std::uint64_t machine_seed, const SyntheticOptions& options);

  std::uint64_t seed;
  std::unique_ptr<const SyntheticMachine> machine;  ///< `space` and `truth` refer to it
  SearchSpace space;
  std::vector<double> true_rates;  ///< images/s of those that run, descending
  MachineTruth truth;
};

struct Simulation {
  StrategyEntry strategy;
  std::uint64_t seed = 1;
  /// Components and search together may cost so much of the exhaustive sweep; confirmation comes on top.
  double cost_share = 0.1;
  std::optional<std::int64_t> trials{};  ///< a budget of trials instead
  /// What the next confirmation block measures; empty: as the product has it.
  std::function<std::vector<Configuration>(const Run&)> confirm{};
};

/// What run_sweep() is given. Refers to neither argument but for `on.machine`.
SweepPlan sweep_plan(const SimulatedMachine& on, const Simulation& simulation);
SweepHooks sweep_hooks(const Simulation& simulation);

/// The finished run, without a recommendation. `machine`: what answers, where it is not the simulated machine itself.
Run simulate(const SimulatedMachine& on, const Simulation& simulation, const ReplayedMachine* machine = nullptr);
/// With the recommendation, as `feedtune sweep` writes it.
Run with_recommendation(Run run);

struct OneShotSweep {
  double regret = 1;
  double over_report = 0;  ///< of the winner's own trial, over the truth, less 1
};
/// Every configuration once, in random order; the fastest trial wins.
OneShotSweep sweep_once(const SimulatedMachine& on, std::uint64_t seed);

/// For the community score (autotuning methodology, Willemsen et al. 2024): seconds an image, over the optimum's, in the
/// mean over the search's time. The score is sum of gained / sum of possible over many searches: 1: the optimum at
/// once; 0: as good as random draws that begin when the search does, after the components.
struct PerformanceShare {
  double gained = 0;    ///< expected from random draws, less what the search has by then
  double possible = 0;  ///< expected from random draws, less the optimum
};
PerformanceShare performance(const Run& run, const SimulatedMachine& on);

}  // namespace feedtune
