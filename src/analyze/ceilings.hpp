#pragma once
// What each part alone can give, from component trials; no setting can beat the lowest of them.

#include "core/run.hpp"

namespace feedtune {

/// `chosen` (the recommended configuration) names the batch size and the kind of host memory that the copy's and the
/// step's ceilings are for; a component trial at another batch stands in where its own wasn't measured. On a device
/// that shares the host's cores (nothing is copied) loader and step also have a joint ceiling:
/// CPUs / (CPU-seconds to load an image + CPU-seconds to step it).
Ceilings find_ceilings(const Run& run, const Configuration& chosen);

/// The lowest ceiling's images/s; absent without component trials.
std::optional<double> lowest_ceiling(const Ceilings& ceilings);

}  // namespace feedtune
