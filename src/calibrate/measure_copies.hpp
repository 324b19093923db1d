#pragma once
#include <map>
#include <string>
#include <vector>

#include "calibrate/stopwatch.hpp"
#include "core/device_rates.hpp"

namespace feedtune {

/// Device times of copies to the device, by host memory and size, in rounds over both kinds until `seconds` are over (one round at
/// least, nine at most). A size that the memory does not allow, or that would take all of the time, is left out and noted.
std::map<std::string, std::vector<SizeTimes>> measure_copies(Stopwatch& watch, double launch_us, double seconds,
                                                             std::vector<std::string>& notes);

}  // namespace feedtune
