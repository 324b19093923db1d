#pragma once
// How well a search did, on a machine whose truth is known: a recorded one, or a made-up one.

#include <functional>
#include <optional>
#include <span>

#include "core/run.hpp"

namespace feedtune {

/// What a replayed machine can really do.
struct MachineTruth {
  /// Images/s without noise. Absent: it cannot run, or nothing is known of it.
  std::function<std::optional<double>(const Configuration&)> images_per_s;
  double fastest_images_per_s = 0;  ///< of all configurations that run; 0: none does
  double exhaustive_s = 0;          ///< what one trial of every configuration costs
};

/// One finished run against the truth. Shares and ratios are fractions.
struct SearchOutcome {
  /// What is lost by the best that the search found, against the fastest there is: 1 - truth / fastest; 1 where it found
  /// nothing. Absent where nothing runs.
  std::optional<double> regret;
  /// The same of what is recommended. It may be larger by design: the knee is the cheapest within `within` of the best.
  std::optional<double> recommended_regret;
  std::optional<double> search_cost_share;   ///< stages component and explore over exhaustive_s; absent where that is 0
  std::optional<double> confirm_cost_share;  ///< stage confirm, likewise
  std::optional<double> bias;                ///< the best's published images/s over its true ones, less 1
  /// The true ratio of recommended to baseline lies in the published 95 % interval. Absent where no gain was published,
  /// and where the baseline itself is recommended (its ratio of 1 is no estimate).
  std::optional<bool> covered;
  /// The gain over the baseline was claimed (its interval lies wholly above 1) and there is none. Absent where no gain was published.
  std::optional<bool> false_gain;
  bool infeasible = false;  ///< best or recommended cannot run
};

/// Of `run.recommendation`; a run without one found nothing. Anchors cost nothing here.
SearchOutcome judge_search(const Run& run, const MachineTruth& truth);

/// The mean of a value over the outcomes that have it.
struct Average {
  std::optional<double> mean;  ///< absent: none has it
  std::int64_t n = 0;          ///< how many have it
};

/// Many outcomes of one strategy, each with a seed or a machine of its own.
struct SearchScore {
  std::int64_t runs = 0;
  Average regret;
  Average recommended_regret;
  /// 95th percentile, interpolated (quantile() in measure/statistics).
  std::optional<double> regret_p95;
  std::optional<double> recommended_regret_p95;
  Average search_cost_share;
  Average confirm_cost_share;
  Average bias;
  Average coverage;
  Average false_gain;
  std::int64_t infeasible = 0;
};

SearchScore score(std::span<const SearchOutcome> outcomes);

}  // namespace feedtune
