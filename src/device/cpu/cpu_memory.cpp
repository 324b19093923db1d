#include "device/cpu/cpu_memory.hpp"

#include <utility>

#include "core/error.hpp"

namespace feedtune {

CpuMemory::CpuMemory(const HostMemoryLeft& left)
    : count_(std::make_shared<Count>()),
      pageable_(std::make_shared<PageableAllocator>(left)),
      pinned_(std::make_shared<LockedAllocator>(left)),
      own_(std::make_shared<PageableAllocator>(left)) {}

DeviceBuffer CpuMemory::allocate(std::size_t bytes) {
  if (bytes == 0) return {};
  std::shared_ptr<HostBuffer> block;
  try {
    block = std::make_shared<HostBuffer>(own_->allocate(bytes));
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(MemoryKind::device, bytes, error.limit_bytes());
  }

  const std::uint64_t accounted = accounted_bytes(bytes);
  const std::uint64_t used = count_->used += accounted;
  std::uint64_t peak = count_->peak;
  while (peak < used && !count_->peak.compare_exchange_weak(peak, used)) {
  }
  return {block->data(), bytes, [count = count_, accounted, block](std::byte*, std::size_t) mutable {
            block.reset();
            count->used -= accounted;
          }};
}

}  // namespace feedtune
