#pragma once
#include <cstdint>
#include <string>

namespace feedtune {

/// "1 trial", "2 trials".
inline std::string counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace feedtune
