#pragma once
// When did the level of a repeated measurement change? For the reference configuration of a sweep.

#include <cstddef>
#include <optional>
#include <vector>

namespace feedtune {

/// A change of level from value `begin` on (values are counted from 0, in the order told).
struct LevelShift {
  std::size_t begin = 0;
  double before = 0;  ///< median of the values of the level that ended
  double after = 0;   ///< mean of the two values that show the new one
  double sd = 0;      ///< of one value
};

/// Sees a shift once the last two values both lie on one side of the level's earlier ones' median by more than 3 % and
/// more than 3 standard deviations of a value; the watch then starts anew from those two. The deviation is taken from
/// successive differences (von Neumann 1941), so a slow trend doesn't hide itself by widening it, and is at least what
/// the values' own say. At least three earlier values are needed.
class LevelWatch {
 public:
  /// `log_value`: logarithm, so that shifts are ratios. `own_sd`: relative standard error within the value.
  std::optional<LevelShift> tell(double log_value, double own_sd);

 private:
  std::size_t begin_ = 0;  ///< of the current level
  std::vector<double> values_, own_sds_;
};

}  // namespace feedtune
