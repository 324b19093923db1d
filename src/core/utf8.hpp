#pragma once
#include <cstddef>
#include <string_view>

namespace feedtune {

/// Length of the well-formed UTF-8 sequence at the start of `text` (Unicode 15, table 3-7); 0 where there is none.
std::size_t utf8_sequence(std::string_view text);
bool is_utf8(std::string_view text);

}  // namespace feedtune
