#pragma once
// The kernel's page cache, as far as the data's files are concerned.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pipeline/image_list.hpp"

namespace feedtune {

struct CacheShare {
  std::optional<double> value;  ///< share of the sampled pages that are in memory, 0 to 1
  std::string unknown;          ///< why there is no value
};

/// Asks for one byte of up to 16 pages of each of up to 256 files spread over the list with preadv2(RWF_NOWAIT), which
/// gives EAGAIN instead of reading from the disk. (mincore() answers for files of other owners as if all were
/// resident.)
CacheShare cache_resident_share(const ImageList& list);

struct CacheSweep {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t failed = 0;  ///< files that could not be opened or read
};

/// Reads every file once, so that what fits in memory is in the page cache. Stops early when `stop` says so.
CacheSweep warm_page_cache(const ImageList& list, const std::function<bool()>& stop);
/// Writes back and drops every file's pages (POSIX_FADV_DONTNEED), which needs no privilege. Pages that another process
/// has mapped stay: cache_resident_share() tells.
CacheSweep drop_page_cache(const ImageList& list);

}  // namespace feedtune
