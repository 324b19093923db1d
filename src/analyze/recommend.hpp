#pragma once
// From the trials of a run to an answer. Ties, knee and equivalence are decided here and nowhere else.

#include <vector>

#include "core/run.hpp"

namespace feedtune {

struct RecommendOptions {
  double within = 0.02;  ///< loss under which two settings are equivalent
  int max_blocks = 40;   ///< a configuration still undecided after so many blocks is not measured again
};

/// Never throws for a run that loads: what cannot be said is absent, with a warning saying why.
Recommendation recommend(const Run& run, const RecommendOptions& options);

/// Which configurations the next confirmation block (stage "confirm", each of them once, in random order, under a block
/// number of its own) has to measure so that the recommendation gets decided; the ones always confirmed (best for
/// PyTorch, baseline, current) included. The most wanted first, so that a short budget may cut the end off; at most
/// about 20, fewer where spec.budget would not pay for 5 such blocks. Empty: decided, or nothing more can be decided,
/// or the search has no result yet. Never one that failed or that leaves less than 10 % of device memory free. The
/// baseline and the current may be configurations that the run has not measured yet: complete them by the search space.
std::vector<Configuration> next_to_confirm(const Run& run, const RecommendOptions& options);

}  // namespace feedtune
