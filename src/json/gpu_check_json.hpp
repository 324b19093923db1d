#pragma once
#include <string>

#include "core/gpu_check.hpp"

namespace feedtune {

inline constexpr const char* gpu_check_schema = "feedtune.gpu_check";

/// The whole document, indented, with a final newline; described in results/README.md.
std::string encode(const GpuCheck& check);

}  // namespace feedtune
