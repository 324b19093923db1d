#pragma once
// Pinned batch buffers made of ordinary memory: what a loader gets that brings its own memory and registers it.

#include <memory>

#include "device/device.hpp"

namespace feedtune {

/// Blocks of the device's pageable memory (huge pages from 2 MiB up), each registered with the device as a whole. Safe from many
/// threads. `memory` outlives the allocator and its buffers.
class RegisteredAllocator final : public HostAllocator {
 public:
  explicit RegisteredAllocator(DeviceMemory& memory);
  HostMemory kind() const override { return HostMemory::pinned; }
  /// Throws what DeviceMemory::pin() throws.
  HostBuffer allocate(std::size_t bytes) override;
  /// Of all that is pinned for the device, by this allocator or not.
  std::uint64_t allocated_bytes() const override { return pinned_->allocated_bytes(); }
  std::uint64_t locked_bytes() const override { return pinned_->locked_bytes(); }

 private:
  DeviceMemory& memory_;
  std::shared_ptr<HostAllocator> pageable_;
  std::shared_ptr<HostAllocator> pinned_;
};

}  // namespace feedtune
