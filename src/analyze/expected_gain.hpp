#pragma once
// What a change of settings would bring: measured where the run has both, else predicted from everything it measured.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/measurements.hpp"
#include "core/run.hpp"

namespace feedtune {

struct ExpectedGain {
  std::string change;              ///< "num_workers 0 -> 2, measured in this run" or "..., predicted"
  std::optional<Interval> ratio;   ///< images/s after over before; n: paired blocks, 0: predicted or unpaired
  std::string unknown;             ///< why there is no ratio
};

/// Nothing that one could set: only the reason why.
ExpectedGain no_gain(std::string why);

/// Fits the predictor when it is first asked for something that was not measured. For one thread; `run` and `data` outlive it.
class GainEstimator {
 public:
  using Changes = std::vector<std::pair<std::string, AxisValue>>;

  GainEstimator(const Run& run, const Measurements& data);
  GainEstimator(GainEstimator&&) noexcept;
  ~GainEstimator();

  /// Of changing these axes of `from`. Axes that the change brings into being or makes meaningless follow (prefetch,
  /// transfer). A prediction's interval is 95 %: what the fit leaves open of the two configurations' ratio, and what it
  /// misses the run's own trials by, at least 3 % each (METHOD.md 2.4).
  ExpectedGain of(const Configuration& from, const Changes& changes) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace feedtune
