#pragma once
#include <cstdint>
#include <string>

namespace feedtune {

/// 12345 as "12,345".
std::string count_text(std::int64_t count);
/// "1 trial", "2,000 trials".
std::string counted(std::int64_t count, const std::string& noun);

}  // namespace feedtune
