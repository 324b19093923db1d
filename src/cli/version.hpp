#pragma once
#include <string>

#include "core/facts.hpp"

namespace feedtune {

/// "feedtune 0.1.0 (commit abc1234)".
std::string version_text();

/// Version, commit, compiler, build type and libraries of this program.
ToolFacts tool_facts();

}  // namespace feedtune
