#pragma once
#include <cstdint>

namespace feedtune {

/// An estimate with its 95 % confidence interval. `n` is the number of independent values behind it (batch means,
/// trials or paired blocks, as the holder says); with n < 2 the interval is unknown and low == high == mean, but for a
/// ratio (Gain, a loss), whose n counts paired blocks and whose ends without them come from the noise of single trials.
struct Interval {
  double mean = 0;
  double low = 0;
  double high = 0;
  std::int64_t n = 0;
};

}  // namespace feedtune
