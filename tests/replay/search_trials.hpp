#pragma once
// Many machines, several strategies: what came of each search.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "search_simulation.hpp"

namespace feedtune {

struct SearchTrials {
  std::vector<StrategyEntry> strategies;
  SyntheticOptions machine;
  int machines = 200;
  std::uint64_t first_seed = 1;
  double cost_share = 0.1;
  bool one_shot = true;  ///< the exhaustive sweep too
  unsigned threads = 1;
  /// Told after each machine; from any thread, one at a time. May be empty.
  std::function<void(int done)> progress{};
};

struct SearchTrial {
  SearchOutcome outcome;
  PerformanceShare performance;
  bool decided = false;   ///< the sweep says that its answer is settled: the loss is under `within` with 95 %
  bool within = false;    ///< and so it is, against the fastest of all
  /// What the guided search does not know in the end: mean relative deviation of what it believes of those not measured.
  /// Absent for others.
  std::optional<double> belief_sd{};
};

struct SearchResults {
  std::vector<std::string> strategies;
  std::vector<std::vector<SearchTrial>> trials;  ///< by strategy, then by machine
  std::vector<OneShotSweep> one_shot;            ///< by machine; empty where not asked for
};

/// The same for any number of threads.
SearchResults run_trials(const SearchTrials& plan);

SearchTrial judge_trial(const Run& run, const SimulatedMachine& on);

/// One-sided p of the paired t test that the mean regret of `better` is lower than that of `worse`.
double paired_p(const std::vector<SearchTrial>& better, const std::vector<SearchTrial>& worse);

std::vector<SearchOutcome> outcomes_of(const std::vector<SearchTrial>& trials);

}  // namespace feedtune
