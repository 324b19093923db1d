#pragma once
#include <string>

#include "core/gpu_check.hpp"

namespace feedtune {

/// Reads what the part `name` of scripts/gpu_check.sh left in `folder` into its figures. What was not left stays absent. Returns what
/// is wrong with them, one line; empty: nothing.
std::string take_figures(const std::string& folder, const std::string& name, GpuCheck& check);

}  // namespace feedtune
