#include "device/virtual/virtual_memory.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace feedtune {

DeviceBuffer VirtualMemory::allocate(std::size_t bytes) {
  if (bytes == 0) return {};
  const std::size_t accounted = accounted_bytes(bytes);
  // Rounding the largest sizes up wraps around to less than was asked for.
  if (accounted < bytes || (limit_ != 0 && accounted > limit_ - count_->used))
    throw OutOfMemory(MemoryKind::device, bytes, limit_);
  count_->used += accounted;
  count_->peak = std::max(count_->peak, count_->used);
  auto* address = reinterpret_cast<std::byte*>(next_address_);
  next_address_ += accounted;
  return {address, bytes, [count = count_, accounted](std::byte*, std::size_t) { count->used -= accounted; }};
}

}  // namespace feedtune
