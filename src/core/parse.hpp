#pragma once
// Small notations that flags and spec files share. Each throws SpecError(where, "got ..., want ..."); the command line
// turns that into a usage error.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/configuration.hpp"
#include "core/spec.hpp"
#include "core/trial_setup.hpp"

namespace feedtune {

/// "5m", "90s", "1.5h", "250ms" -> seconds, above 0. The unit is needed.
double parse_duration_s(std::string_view text, const std::string& where);
/// "5m" (time) or "200trials".
Budget parse_budget(std::string_view text, const std::string& where);
/// "2%" or "0.02" -> 0.02; from 0 to 1.
double parse_share(std::string_view text, const std::string& where);
/// "64" -> 64, "pinned" -> "pinned". Integers must fit 64 bits.
AxisValue parse_axis_value(std::string_view text, const std::string& where);
/// "batch_size=64,num_workers=4"; each name once.
Configuration parse_assignments(std::string_view text, const std::string& where);
/// "num_workers=0,2,4" -> name and values, each value once.
std::pair<std::string, std::vector<AxisValue>> parse_axis(std::string_view text, const std::string& where);
/// "85ms@64,150ms@128", sorted by batch size, each batch size once.
std::vector<StepTime> parse_step_times(std::string_view text, const std::string& where);

}  // namespace feedtune
