#pragma once
#include <map>
#include <string>
#include <vector>

#include "calibrate/stopwatch.hpp"
#include "core/device_rates.hpp"
#include "core/enums.hpp"

namespace feedtune {

/// What has been measured of the copies so far.
struct CopyRounds {
  std::map<std::string, std::vector<SizeTimes>> times;  ///< by host memory and size
  std::map<HostMemory, std::size_t> most;               ///< bytes: the largest size that is measured
  int done = 0;
};

/// Adds device times of copies to the device, in rounds over both kinds and all sizes until `seconds` are over (one round at least, three
/// at most). In the first call a size that the memory does not allow, or that would take all of the time, is left out and noted, and so
/// is pinned memory where it is refused.
void measure_copies(Stopwatch& watch, double launch_us, double seconds, CopyRounds& rounds, std::vector<std::string>& notes);

}  // namespace feedtune
