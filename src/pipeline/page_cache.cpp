#include "pipeline/page_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

struct PageCount {
  std::int64_t resident = 0;
  std::int64_t asked = 0;
  int error = 0;
};

void count_pages(int file, std::int64_t bytes, std::int64_t most, PageCount& count) {
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  const std::int64_t pages = (bytes + page - 1) / page;
  const std::int64_t asked = std::min(pages, most);
  for (std::int64_t k = 0; k < asked; ++k) {
    char byte = 0;
    const iovec place{&byte, 1};
    const ssize_t got = ::preadv2(file, &place, 1, (k * pages / asked) * page, RWF_NOWAIT);
    if (got < 0 && errno != EAGAIN) {
      count.error = errno;
      return;
    }
    ++count.asked;
    if (got == 1) ++count.resident;
  }
}

}  // namespace

CacheShare cache_resident_share(const DataFiles& files) {
  PageCount count;
  const std::size_t sampled = std::min(files.count, sampled_files);
  for (std::size_t k = 0; k < sampled; ++k) {
    std::int64_t bytes = 0;
    if (const Descriptor file = open_regular(files, k * files.count / sampled, bytes))
      count_pages(file.get(), bytes, static_cast<std::int64_t>(sampled_pages / sampled), count);
  }
  if (count.asked == 0)
    return {{},
            count.error != 0 ? fmt::format("preadv2(RWF_NOWAIT): {}", std::strerror(count.error))
                             : "no file could be read"};
  return {static_cast<double>(count.resident) / static_cast<double>(count.asked), ""};
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
