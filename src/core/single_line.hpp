#pragma once
#include <string>
#include <string_view>

namespace feedtune {

/// Text from outside (a file's name, what a file says) that is safe to show, on one line: control characters, also those
/// of Unicode that end a line or turn its direction, become spaces, and bytes that are not UTF-8 become U+FFFD.
std::string single_line(std::string_view text);

}  // namespace feedtune
