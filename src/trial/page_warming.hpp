#pragma once
// The page cache's state before a trial, as --cache asks for.

#include <cstdint>
#include <functional>
#include <optional>

#include "core/trial.hpp"
#include "measure/clock.hpp"
#include "pipeline/page_cache.hpp"

namespace feedtune {

struct WarmingLimits {
  Nanoseconds time = std::chrono::seconds(30);  ///< what storage does not give by then is left cold
  std::optional<std::int64_t> memory_bytes;     ///< that the page cache could take; absent: unknown
};

/// warm: reads the data, unless it is in the page cache already or is more than memory holds, when reading would only
/// drive out what is there. Where the share cannot be known (some network file systems) it is read. cold: drops it.
/// Returns the share afterwards, sampled. `phase` is told what is being done, in a literal.
CacheShare prepare_page_cache(const DataFiles& files, CachePolicy policy, const WarmingLimits& limits, const Clock& clock,
                              const std::function<void(const char*)>& phase);

}  // namespace feedtune
