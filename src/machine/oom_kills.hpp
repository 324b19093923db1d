#pragma once
#include <cstdint>
#include <optional>

#include "machine/root.hpp"

namespace feedtune {

/// Processes that the kernel has killed for lack of memory so far: of this process's control groups (memory.events, v1
/// memory.oom_control), and of the whole machine where no group counts them (/proc/vmstat). Only a rise of it says
/// something. Nothing where nobody counts (kernels before 4.13).
std::optional<std::int64_t> oom_kills(const Root& root = Root());

}  // namespace feedtune
