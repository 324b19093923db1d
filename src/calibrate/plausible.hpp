#pragma once
#include <string>
#include <vector>

#include "core/device_profile.hpp"

namespace feedtune {

/// A measured rate is believed between these shares of the most that is published for the GPU (the `high` of its shipped profile's
/// figure): above, the clock or the work was not what it seems; below, something else held the GPU, its link or its clock.
inline constexpr double least_share_of_published = 0.3, most_share_of_published = 1.1;

/// One line a rate that lies outside.
std::vector<std::string> implausible(const DeviceProfile& measured, const DeviceProfile& published);

}  // namespace feedtune
