#include "device/host_allocators.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include "core/error.hpp"

namespace feedtune {
namespace {

constexpr std::size_t page_aligned_from = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t largest_block = std::numeric_limits<std::size_t>::max() / 2;
/// Left for what a trial needs beside its blocks: stacks, decoders' rows, the kernel's own.
constexpr std::int64_t spare_bytes = std::int64_t{16} << 20;

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// The number behind `key` in a /proc file of "Key:   123 kB" lines, in bytes; 0 where it can't be read.
std::uint64_t proc_bytes(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    std::uint64_t kibibytes = 0;
    if (word == key && file >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

/// Pages of the caller alone, from mmap, so that unmapping also unlocks them.
struct Mapping {
  void* address = nullptr;
  std::size_t bytes = 0;  ///< whole pages
};

void fault_in(const Mapping& mapping) {
#ifdef MADV_POPULATE_WRITE
  if (madvise(mapping.address, mapping.bytes, MADV_POPULATE_WRITE) == 0) return;
#endif
  auto* first = static_cast<volatile unsigned char*>(mapping.address);
  for (std::size_t offset = 0; offset < mapping.bytes; offset += page_bytes()) first[offset] = 0;
}

std::optional<std::int64_t> machine_memory_left() {
  const std::uint64_t available = proc_bytes("/proc/meminfo", "MemAvailable:");
  return available == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(available));
}

Mapping map_pages(std::size_t requested, const HostMemoryLeft& memory_left) {
  if (requested > largest_block) throw OutOfMemory(MemoryKind::host, requested, 0);
  if (const auto left = memory_left ? memory_left() : machine_memory_left()) {
    const auto usable = static_cast<std::uint64_t>(std::max<std::int64_t>(0, *left - spare_bytes));
    if (requested > usable) throw OutOfMemory(MemoryKind::host, requested, std::max<std::uint64_t>(usable, 1));  // 0: unknown
  }
  // A huge page is only given to an aligned 2 MiB of the mapping, so such blocks are mapped too large and trimmed.
  const bool huge = requested >= huge_page;
  const std::size_t bytes = round_up(requested, page_bytes());
  const std::size_t mapped = bytes + (huge ? huge_page : 0);
  void* address = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) {
    rlimit limit{};
    const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    throw OutOfMemory(MemoryKind::host, requested, limited ? limit.rlim_cur : 0);
  }
  Mapping mapping{address, bytes};
  if (huge) {
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    const std::size_t before = round_up(start, huge_page) - start;
    mapping.address = static_cast<std::byte*>(address) + before;
    if (before != 0) munmap(address, before);
    if (huge_page != before) munmap(static_cast<std::byte*>(mapping.address) + bytes, huge_page - before);
    madvise(mapping.address, mapping.bytes, MADV_HUGEPAGE);  // advice: a kernel without huge pages refuses, harmlessly
  }
  fault_in(mapping);
  return mapping;
}

/// Locks the longest prefix that the limit leaves room for; returns its bytes.
std::size_t lock_pages(const Mapping& mapping) {
  if (mlock(mapping.address, mapping.bytes) == 0) return mapping.bytes;
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  const std::uint64_t used = proc_bytes("/proc/self/status", "VmLck:");
  std::size_t room = limit.rlim_cur > used ? static_cast<std::size_t>(limit.rlim_cur - used) : 0;
  room = std::min(room, mapping.bytes) / page_bytes() * page_bytes();
  // Another thread may have taken part of the room since it was read.
  for (; room != 0; room = room / 2 / page_bytes() * page_bytes())
    if (mlock(mapping.address, room) == 0) return room;
  return 0;
}

HostBuffer small_block(std::size_t bytes, const std::shared_ptr<HostMemoryCount>& count) {
  void* address = std::aligned_alloc(64, round_up(bytes, 64));
  if (address == nullptr) throw OutOfMemory(MemoryKind::host, bytes, 0);
  std::memset(address, 0, bytes);
  count->allocated += bytes;
  return {address, bytes, HostMemory::pageable, [count](void* block, std::size_t size) {
            std::free(block);
            count->allocated -= size;
          }};
}

HostBuffer mapped_block(const Mapping& mapping, std::size_t bytes, HostMemory kind, std::size_t locked,
                        const std::shared_ptr<HostMemoryCount>& count) {
  count->allocated += bytes;
  count->locked += locked;
  return {mapping.address, bytes, kind, [count, mapping, locked](void*, std::size_t size) {
            munmap(mapping.address, mapping.bytes);
            count->allocated -= size;
            count->locked -= locked;
          }};
}

}  // namespace

HostBuffer PageableAllocator::allocate(std::size_t bytes) {
  if (bytes == 0) return {nullptr, 0, kind(), {}};
  if (bytes < page_aligned_from) return small_block(bytes, count_);
  return mapped_block(map_pages(bytes, left_), bytes, kind(), 0, count_);
}

PinnedRange LockedAllocator::pin(std::span<std::byte> memory) {
  if (memory.empty()) return {};
  const std::size_t locked = lock_pages({memory.data(), round_up(memory.size(), page_bytes())});
  const std::size_t counted = std::min(locked, memory.size());
  count_->allocated += memory.size();
  count_->locked += counted;
  return {memory.data(), [count = count_, bytes = memory.size(), locked, counted](std::byte* data) {
             munlock(data, locked);
             count->allocated -= bytes;
             count->locked -= counted;
           }};
}

HostBuffer LockedAllocator::allocate(std::size_t bytes) {
  if (bytes == 0) return {nullptr, 0, kind(), {}};
  const Mapping mapping = map_pages(bytes, left_);  // whole pages even for small blocks: locking goes by page
  return mapped_block(mapping, bytes, kind(), std::min(lock_pages(mapping), bytes), count_);
}

}  // namespace feedtune
