#pragma once
#include <string_view>
#include <vector>

namespace feedtune {

/// The parts between separators, empty ones too: "a,,b" gives three. They point into `text`. `separator` is not empty.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

}  // namespace feedtune
