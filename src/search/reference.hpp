#pragma once
#include <span>

#include "core/configuration.hpp"

namespace feedtune {

/// The configuration to repeat through a sweep so that drift shows: one that surely fits (a batch near 64) and keeps the
/// CPUs busy without crowding them (as many workers as CPUs); of several the first. `space` is not empty.
Configuration pick_reference(std::span<const Configuration> space, double effective_cpus);

}  // namespace feedtune
