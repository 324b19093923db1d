#pragma once
// The kernel's page cache, as far as the data's files are concerned.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pipeline/image_list.hpp"

namespace feedtune {

/// The files that are read for a data set.
struct DataFiles {
  std::size_t count = 0;
  std::function<int(std::size_t file)> open;  ///< a new descriptor, or -1 with errno
  std::function<void()> unmap{};              ///< takes this process's maps off their pages; may be empty

  DataFiles() = default;
  /// The listed files. The list outlives it.
  DataFiles(const ImageList& list)
      : count(list.size()), open([&list](std::size_t image) { return open_data_file(list, image); }) {}
};

struct CacheShare {
  std::optional<double> value;  ///< share of the files' pages that are in memory, 0 to 1
  std::string unknown;          ///< why there is no value
};

enum class ResidencyLook {
  best,   ///< cachestat(2), and what it can't answer by reads
  reads,  ///< reads alone
};

/// Of up to 256 files, spread evenly. Counts a file's pages with cachestat(2), which touches none; where the kernel has none
/// (before 6.5), refuses, or doesn't see the pages (overlayfs), asks for some 4,096 pages with page_in_memory(). A file weighs by
/// its size. (mincore() answers for files of others as if all were resident.)
CacheShare cache_resident_share(const DataFiles& files, ResidencyLook look = ResidencyLook::best);

struct PageLook {
  bool there = false;
  bool slow = false;  ///< it could be read, but took as long as a quick disk does: `there` is then false
  int error = 0;  ///< errno where the file system can't tell (EOPNOTSUPP: NFS); `there` is then false
};
/// Whether the page at that byte of the file is in memory, by preadv2(RWF_NOWAIT) and by the time it takes. Brings it in where it
/// isn't, and more unless POSIX_FADV_RANDOM was said before.
PageLook page_in_memory(int file, std::int64_t place);

struct CacheSweep {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t failed = 0;  ///< files that could not be opened or read
};

/// Reads every file once, so that what fits in memory is in the page cache. Stops early when `stop` says so.
CacheSweep warm_page_cache(const DataFiles& files, const std::function<bool()>& stop);
/// Writes back and drops every file's pages (POSIX_FADV_DONTNEED), which needs no privilege. Pages that another process
/// has mapped stay: cache_resident_share() tells.
CacheSweep drop_page_cache(const DataFiles& files);

}  // namespace feedtune
