#pragma once
#include <string>
#include <vector>

#include "core/device_profile.hpp"

namespace feedtune {

/// A calibrated profile as `feedtune calibrate` shows it: steps, copies, figures with their ranges, and how well the fits do.
std::string profile_text(const DeviceProfile& profile, const std::vector<std::string>& notes);

}  // namespace feedtune
