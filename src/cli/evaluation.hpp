#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/replay_plan.hpp"
#include "report/evaluation.hpp"

namespace feedtune {

/// Of each sweep, confirmation included: a budget as `sweep` has it, or a share of what the record costs.
struct EvaluationBudget {
  Budget fixed;
  std::optional<double> share{};  ///< of exhaustive_cost_s(): then `fixed` is empty
  std::string text;               ///< as given
};

struct EvaluationRequest {
  std::vector<std::string> files;
  std::vector<std::string> strategies;
  std::uint64_t first_seed = 1;
  std::int64_t seeds = 20;  ///< sweeps of each strategy on each replay, and as many A/A sweeps
  EvaluationBudget budget;
  double within = 0.02;
  unsigned threads = 1;  ///< changes nothing but the time it takes
};

/// Reads every file before the first sweep. Throws InputError, IoError, SpecError (an unknown strategy).
Evaluation evaluate(const EvaluationRequest& request);

}  // namespace feedtune
