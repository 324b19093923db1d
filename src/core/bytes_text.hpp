#pragma once
#include <string>

namespace feedtune {

/// "384 MB", "1.2 GB" (powers of 1000).
std::string bytes_text(double bytes);

}  // namespace feedtune
