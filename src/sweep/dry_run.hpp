#pragma once
// What a sweep would measure, without measuring: the same loop, on a clock that only estimates move.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweep/sweep.hpp"

namespace feedtune {

struct PlannedTrial {
  std::string stage;
  Purpose purpose = Purpose::trial;
  int block = 0;
  Configuration configuration;
  double estimated_s = 0;
  std::uint64_t host_bytes = 0;               ///< of all batch slots
  std::optional<std::uint64_t> device_bytes;  ///< absent where nobody can tell, for parts without a step and for anchors
  bool fits = true;                           ///< device_bytes against the device's memory
};

struct DryRun {
  /// In order; confirmation is not among them: results decide. A strategy that goes by results (guided) is shown with
  /// made-up ones: the number of trials is the most that it would take, which ones is an example.
  std::vector<PlannedTrial> trials;
  double estimated_s = 0;            ///< of `trials`
  double confirm_s = 0;              ///< of confirmation: the rest of the budget, else 5 blocks of 8
  std::int64_t confirm_trials = 0;   ///< at most, where the budget says so; else about
  std::vector<RunNote> notes;
};

/// Throws what run_sweep() throws before its first trial.
DryRun dry_run(const SweepPlan& plan);

}  // namespace feedtune
