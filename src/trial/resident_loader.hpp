#pragma once
// A loader that always has the same batch ready: for trials that measure the copy or the step alone.

#include <memory>

#include "core/trial_setup.hpp"
#include "pipeline/loader.hpp"

namespace feedtune {

/// The batch holds a fixed pattern, in memory of `allocator`'s kind.
std::unique_ptr<Loader> make_resident_loader(const TrialSetup& setup, HostAllocator& allocator);

}  // namespace feedtune
