#pragma once
// Who is as good as the best? Multiple comparisons with the best (after Hsu 1984): a configuration's loss is bounded
// against every rival at once, so that the luck of whoever happens to lead is not mistaken for a difference.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyze/measurements.hpp"
#include "core/interval.hpp"

namespace feedtune {

enum class Verdict { best, equivalent, undecided, slower };
const char* to_text(Verdict verdict);

/// One configuration against the best of its group.
struct Standing {
  const Measured* measured = nullptr;
  Verdict verdict = Verdict::undecided;
  Interval loss;  ///< share of images/s lost against the best, >= 0; n: paired blocks (0: only the search's trials)
};

/// Log ratio of two configurations, a over b.
struct LogRatio {
  double mean = 0;
  double se = 0;  ///< standard error
  double df = 1;
  int n = 0;  ///< paired blocks; 0: unpaired
};

/// Paired within the blocks that both were in. Variance: that of the pair's own differences, steadied by the pooled
/// variance of all confirmed configurations as if that were worth up to 8 more blocks. n < 2 where the pair shares too
/// little: then by the block fit (both confirmed), else from single trials and the noise.
LogRatio log_ratio(const Measurements& data, const Measured& a, const Measured& b);

using Members = std::function<bool(const Measured&)>;

/// Standings of the usable members of a group, in cheapness order; empty when there are none.
/// - best: leads by mean (of those confirmed in at least 3 blocks, where there are any);
/// - equivalent: the upper bound of its loss against every rival not itself slower is under `within`;
/// - slower: the lower bound of its loss is at least `within`;
/// - undecided: the rest. A configuration with under 3 blocks is never equivalent.
/// Bounds are simultaneous over the rivals (Bonferroni), 95 % each side (two one-sided tests).
std::vector<Standing> judge(const Measurements& data, double within, const Members& members);

inline constexpr int min_blocks = 3;

/// Measured again often enough to stand beside the leader: in as many blocks as it, or in min_blocks.
bool measured_beside(const Measured& leader, const Measured& m);

}  // namespace feedtune
