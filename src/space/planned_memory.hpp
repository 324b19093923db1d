#pragma once
#include <cstdint>

#include "core/trial_setup.hpp"

namespace feedtune {

/// Bytes of all batch slots that a trial's loader will hold, before trying (core/batch_slots.hpp).
std::uint64_t planned_host_bytes(const TrialSetup& setup);

}  // namespace feedtune
