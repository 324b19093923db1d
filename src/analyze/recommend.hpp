#pragma once
// From the trials of a run to an answer. Ties, knee and equivalence are decided here and nowhere else.

#include <vector>

#include "core/run.hpp"

namespace feedtune {

struct RecommendOptions {
  double within = 0.02;  ///< loss under which two settings are equivalent
};

/// Never throws for a run that loads: what cannot be said is absent, with a warning saying why.
Recommendation recommend(const Run& run, const RecommendOptions& options);

/// Which configurations the next confirmation block has to measure so that the recommendation gets decided, the
/// reference and the ones always confirmed (best for PyTorch, baseline, current) included. Empty: decided.
std::vector<Configuration> next_to_confirm(const Run& run, const RecommendOptions& options);

}  // namespace feedtune
