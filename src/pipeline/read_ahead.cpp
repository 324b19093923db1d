#include "pipeline/read_ahead.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "pipeline/page_cache.hpp"
#include "process/descriptor.hpp"

namespace feedtune {
namespace {

constexpr unsigned look_every = 8;
constexpr int sure_after_a_miss = 64;

/// Looks at the middle: the first and the last page are there alone where somebody looked at the header or at the page cache.
bool in_memory(int file) {
  struct stat facts {};
  return ::fstat(file, &facts) == 0 && page_in_memory(file, facts.st_size / 2).there;
}

}  // namespace

void ReadAhead::expect(std::size_t image) {
  const bool look = ++calls_ % look_every == 0;
  if (!look && sure_ == 0) return;
  const Descriptor file(open_data_file(list_, image));
  if (!file) return;
  if (look && !in_memory(file.get())) sure_ = sure_after_a_miss;
  if (sure_ == 0) return;
  --sure_;
  (void)::posix_fadvise(file.get(), 0, 0, POSIX_FADV_WILLNEED);
}

}  // namespace feedtune
