#pragma once
#include <cstdint>

#include "core/trial_setup.hpp"

namespace feedtune {

/// Bytes of all batch slots that a trial's loader will hold, before trying: the slots that are being filled or wait, and
/// three more for batches in flight; with batch_per_worker and pinned memory, a pageable slot a worker on top.
/// Source: the loaders' own slot counts (pipeline/loaders).
std::uint64_t planned_host_bytes(const TrialSetup& setup);

}  // namespace feedtune
