#include "device/registered_allocator.hpp"

#include <unistd.h>

namespace feedtune {
namespace {

/// Pinning goes by page, and no page may be registered twice.
std::size_t whole_pages(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

struct Block {
  HostBuffer memory;
  PinnedRange range;  ///< ends before the memory does
};

}  // namespace

RegisteredAllocator::RegisteredAllocator(DeviceMemory& memory)
    : memory_(memory), pageable_(memory.host(HostMemory::pageable)), pinned_(memory.host(HostMemory::pinned)) {}

HostBuffer RegisteredAllocator::allocate(std::size_t bytes) {
  if (bytes == 0) return {nullptr, 0, kind(), {}};
  auto block = std::make_shared<Block>();
  block->memory = pageable_->allocate(whole_pages(bytes));
  block->range = memory_.pin(block->memory.bytes());
  return {block->memory.data(), bytes, kind(), [block](void*, std::size_t) mutable { block.reset(); }};
}

}  // namespace feedtune
