#pragma once
#include <chrono>
#include <optional>

#include "core/device_rates.hpp"

namespace feedtune {

/// Measures in a child process, so that this one stays free of CUDA and a hung driver ends at `deadline`. Nothing: a signal asked for
/// a stop. Throws DeviceUnavailableError with what the child said.
std::optional<DeviceRates> device_rates(const RatesRequest& request, std::chrono::steady_clock::time_point deadline);

}  // namespace feedtune
