#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/configuration.hpp"
#include "replay/synthetic_family.hpp"

namespace feedtune {

/// What is swept on a made-up machine with so many effective CPUs: 1,000 to 2,000 configurations, small: about 150.
std::map<std::string, std::vector<AxisValue>> synthetic_axes(std::uint64_t seed, SyntheticFamily family, double effective_cpus, bool small);

}  // namespace feedtune
