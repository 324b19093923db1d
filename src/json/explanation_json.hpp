#pragma once
#include <string>

#include "core/explanation.hpp"

namespace feedtune {

/// The whole document (results/schema/explanation-0.1.schema.json), indented, with a final newline.
std::string encode(const Explanation& explanation);

}  // namespace feedtune
