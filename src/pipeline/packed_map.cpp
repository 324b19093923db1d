#include "pipeline/packed_map.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

namespace feedtune {

/// Never freed, only used again: the handler may be looking at it.
struct PackedMap::Region {
  std::atomic<std::uintptr_t> begin{0};  ///< 0: of no map
  std::atomic<std::size_t> bytes{0};     ///< whole pages
  std::atomic<std::size_t> whole{0};
  Region* next = nullptr;
};

/// All maps of the process. The handler takes no lock and calls nothing but mmap and sigaction.
class PackedMapRegions {
 public:
  static PackedMap::Region* take(std::byte* begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    install();
    PackedMap::Region* region = first_.load();
    while (region != nullptr && region->begin.load() != 0) region = region->next;
    if (region == nullptr) {
      region = new PackedMap::Region;
      region->next = first_.load();
      first_.store(region);
    }
    region->bytes.store((bytes + page_bytes_ - 1) / page_bytes_ * page_bytes_);
    region->whole.store(bytes);
    region->begin.store(reinterpret_cast<std::uintptr_t>(begin));
    return region;
  }
  static void give_back(PackedMap::Region* region) {
    const std::lock_guard lock(mutex_);
    region->begin.store(0);
  }

 private:
  static void install() {
    if (page_bytes_ != 0) return;
    page_bytes_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = &on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &before_);
  }

  static void on_bus_error(int, siginfo_t* info, void*) {
    const int number = errno;
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const bool handled = info->si_code > 0 && replace(at);
    // Not ours: whoever was there before is asked when the same instruction fails again.
    if (!handled) ::sigaction(SIGBUS, &before_, nullptr);
    if (info->si_code <= 0) ::raise(SIGBUS);  // sent by a process: nothing fails again by itself
    errno = number;
  }

  /// Everything from the page on, so that however many records lie behind, the map stays one of few pieces.
  static bool replace(std::uintptr_t at) {
    for (PackedMap::Region* region = first_.load(); region != nullptr; region = region->next) {
      const std::uintptr_t begin = region->begin.load();
      const std::size_t bytes = region->bytes.load();
      if (begin == 0 || at < begin || at - begin >= bytes) continue;
      const std::size_t page = (at - begin) / page_bytes_ * page_bytes_;
      // The file ends in the page before at the latest, whose rest reads as zeros without a signal.
      lower(region->whole, page < page_bytes_ ? 0 : page - page_bytes_);
      // The bare call: a sanitizer takes mmap() for a write to all of it, and other readers may be doing the same just now.
      return ::syscall(SYS_mmap, begin + page, bytes - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != -1;
    }
    return false;
  }
  static void lower(std::atomic<std::size_t>& value, std::size_t to) {
    std::size_t now = value.load();
    while (to < now && !value.compare_exchange_weak(now, to)) {
    }
  }

  static inline std::mutex mutex_;
  static inline std::atomic<PackedMap::Region*> first_{nullptr};
  static inline std::size_t page_bytes_ = 0;
  static inline struct sigaction before_ {};
};

PackedMap::PackedMap(int file, std::size_t bytes) : bytes_(bytes) {
  void* begin = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  if (begin == MAP_FAILED) return;
  begin_ = static_cast<std::byte*>(begin);
  region_ = PackedMapRegions::take(begin_, bytes);
}

PackedMap::~PackedMap() {
  if (begin_ == nullptr) return;
  PackedMapRegions::give_back(region_);
  ::munmap(begin_, bytes_);
}

std::size_t PackedMap::whole_bytes() const { return region_->whole.load(std::memory_order_acquire); }

void PackedMap::release_pages() const { (void)::madvise(begin_, bytes_, MADV_DONTNEED); }

}  // namespace feedtune
