#pragma once
#include <string>

namespace feedtune {

/// "2026-12-02T17:03:30Z"
std::string utc_now();

}  // namespace feedtune
