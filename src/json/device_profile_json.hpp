#pragma once
// configs/devices/*.json.

#include <string>
#include <string_view>

#include "core/device_profile.hpp"

namespace feedtune {

inline constexpr const char* device_profile_schema = "feedtune.device_profile";

/// A file that anyone may have written names folders (a run's default one) and stands in every output.
inline constexpr const char* profile_name_rule = "letters, digits, '-', '_' and '.', at most 100, beginning with no point";
bool is_profile_name(const std::string& name);

/// Whether it says that it is one; false for what is no JSON.
bool is_device_profile(std::string_view text);

/// Strict: unknown keys, missing figures, figures that are not positive or lie outside their own range are InputErrors
/// with file, line and JSON path.
DeviceProfile decode_device_profile(std::string_view text, const std::string& where);
/// Indented, with a final newline.
std::string encode(const DeviceProfile& profile);

}  // namespace feedtune
