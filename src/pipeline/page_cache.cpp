#include "pipeline/page_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

namespace feedtune {
namespace {

constexpr std::size_t sampled_files = 256;
constexpr std::size_t sampled_pages = 4096;

/// One of the files where it is a regular one, or none.
Descriptor open_regular(const DataFiles& files, std::size_t number, std::int64_t& bytes) {
  Descriptor file(files.open(number));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
  bytes = facts.st_size;
  return file;
}

/// A read that would block has the page brought in before it says so; where the disk is quick (a virtual one, kept in the host's
/// memory, takes 28 us and more), it says so no more and gives the data. From memory a byte takes 1 us, one in a hundred 5.
constexpr std::chrono::microseconds memory_read{20};

struct PageCount {
  double resident = 0;
  double looked_at = 0;
  double slow = 0;  ///< of those looked at: read, but slowly
  int error = 0;
};

// cachestat(2) as linux/mman.h of 6.5 declares it, for older headers. The number is that of every architecture but a few
// old ones; where it is another call's or none's, that call refuses these arguments or the kernel does.
#ifdef __NR_cachestat
constexpr long cachestat_number = __NR_cachestat;
#else
constexpr long cachestat_number = 451;
#endif
struct CachestatRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};
struct Cachestat {
  std::uint64_t cached = 0;
  std::uint64_t dirty = 0;
  std::uint64_t writeback = 0;
  std::uint64_t evicted = 0;
  std::uint64_t recently_evicted = 0;
};

/// A read that would block starts the kernel's read-ahead all the same. Unless told that reads are random, that brings the
/// whole file in, and the next page asked for may be there by then.
void no_read_ahead(int file) { (void)::posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM); }

/// A file of overlayfs has its pages in the file below, and cachestat counts none.
bool counts_pages(int file) {
  constexpr long overlayfs = 0x794c7630;  // OVERLAYFS_SUPER_MAGIC of linux/magic.h
  struct statfs facts {};
  return ::fstatfs(file, &facts) == 0 && static_cast<long>(facts.f_type) != overlayfs;
}

/// False where the kernel has no cachestat (before 6.5), forbids it for this file (another owner's, not writable), or answers
/// for pages that aren't the ones that are read.
bool count_cached(int file, std::int64_t pages, PageCount& count) {
  CachestatRange whole;
  Cachestat stat;
  if (!counts_pages(file) || ::syscall(cachestat_number, file, &whole, &stat, 0) != 0) return false;
  count.looked_at += static_cast<double>(pages);
  count.resident += static_cast<double>(std::min(pages, static_cast<std::int64_t>(stat.cached)));
  return true;
}

void count_readable(int file, std::int64_t pages, std::int64_t page, std::int64_t most, PageCount& count) {
  no_read_ahead(file);
  const std::int64_t asked = std::min(pages, most);
  std::int64_t read = 0, slow = 0;
  for (std::int64_t k = 0; k < asked; ++k) {
    const PageLook look = page_in_memory(file, (k * pages / asked) * page);
    if (look.error != 0) {
      count.error = look.error;
      return;
    }
    if (look.there) ++read;
    if (look.slow) ++slow;
  }
  if (asked == 0) return;
  count.looked_at += static_cast<double>(pages);
  count.resident += static_cast<double>(pages) * static_cast<double>(read) / static_cast<double>(asked);
  count.slow += static_cast<double>(pages) * static_cast<double>(slow) / static_cast<double>(asked);
}

}  // namespace

PageLook page_in_memory(int file, std::int64_t place) {
  char byte = 0;
  const iovec into{&byte, 1};
  const auto begin = std::chrono::steady_clock::now();
  const ssize_t got = ::preadv2(file, &into, 1, place, RWF_NOWAIT);
  if (got < 0) return {false, false, errno == EAGAIN ? 0 : errno};
  const bool quick = std::chrono::steady_clock::now() - begin < memory_read;
  return {quick, !quick, 0};
}

CacheShare cache_resident_share(const DataFiles& files, ResidencyLook look) {
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  PageCount count;
  const std::size_t sampled = std::min(files.count, sampled_files);
  for (std::size_t k = 0; k < sampled; ++k) {
    std::int64_t bytes = 0;
    const Descriptor file = open_regular(files, k * files.count / sampled, bytes);
    const std::int64_t pages = (bytes + page - 1) / page;
    if (file && (look == ResidencyLook::reads || !count_cached(file.get(), pages, count)))
      count_readable(file.get(), pages, page, static_cast<std::int64_t>(sampled_pages / sampled), count);
  }
  // Few slow reads among quick ones were interrupted; many came from the disk.
  if (count.slow < 0.05 * count.looked_at) count.looked_at -= count.slow;
  if (count.looked_at == 0)
    return {{},
            count.error != 0 ? fmt::format("preadv2(RWF_NOWAIT): {}", std::strerror(count.error))
                             : "no file could be read"};
  return {count.resident / count.looked_at, ""};
}

CacheSweep warm_page_cache(const DataFiles& files, const std::function<bool()>& stop) {
  CacheSweep sweep;
  std::vector<std::byte> buffer(1 << 20);
  for (std::size_t i = 0; i < files.count && !(stop && stop()); ++i) {
    std::int64_t size = 0;
    const Descriptor file = open_regular(files, i, size);
    ssize_t got = file ? 1 : -1;
    while (got > 0 && !(stop && stop())) {
      got = ::read(file.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) got = 1;
      else if (got > 0) sweep.bytes += got;
    }
    ++(got < 0 ? sweep.failed : sweep.files);
  }
  return sweep;
}

CacheSweep drop_page_cache(const DataFiles& files) {
  CacheSweep sweep;
  if (files.unmap) files.unmap();
  for (std::size_t i = 0; i < files.count; ++i) {
    std::int64_t bytes = 0;
    const Descriptor file = open_regular(files, i, bytes);
    // Pages that aren't written yet can't be dropped. A read-only file system refuses the sync and has none.
    if (file) (void)::fdatasync(file.get());
    if (file && ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED) == 0) {
      ++sweep.files;
      sweep.bytes += bytes;
    } else {
      ++sweep.failed;
    }
  }
  return sweep;
}

}  // namespace feedtune
