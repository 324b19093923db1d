#include "trial/page_warming.hpp"

#include <sys/stat.h>

#include "process/descriptor.hpp"

namespace feedtune {
namespace {

bool exceed(const DataFiles& files, std::int64_t limit_bytes) {
  std::int64_t bytes = 0;
  for (std::size_t number = 0; number < files.count && bytes <= limit_bytes; ++number) {
    struct stat facts {};
    if (const Descriptor file(files.open(number)); file && ::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode))
      bytes += facts.st_size;
  }
  return bytes > limit_bytes;
}

}  // namespace

CacheShare prepare_page_cache(const DataFiles& files, CachePolicy policy, const WarmingLimits& limits, const Clock& clock,
                              const std::function<void(const char*)>& phase) {
  if (policy == CachePolicy::cold) {
    phase("emptying the page cache");
    drop_page_cache(files);
    return cache_resident_share(files);
  }
  CacheShare share = cache_resident_share(files);
  if (policy != CachePolicy::warm || share.value.value_or(0) >= warm_enough) return share;
  if (limits.memory_bytes && exceed(files, *limits.memory_bytes)) return share;
  phase("warming the page cache");
  const Nanoseconds end = clock.now() + limits.time;
  warm_page_cache(files, [&] { return clock.now() > end; });
  return cache_resident_share(files);
}

}  // namespace feedtune
