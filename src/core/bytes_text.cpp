#include "core/bytes_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace feedtune {

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 999.5 && unit + 1 < std::size(units)) bytes /= 1000, ++unit;
  return fmt::format("{:.{}f} {}", bytes, unit >= 3 && bytes < 99.95 ? 1 : 0, units[unit]);
}

}  // namespace feedtune
