#pragma once
// Memory of a modelled device: accounted to the byte, backed by nothing. The host's side of it is real.

#include <memory>

#include "device/device.hpp"
#include "device/host_allocators.hpp"

namespace feedtune {

class VirtualMemory final : public DeviceMemory {
 public:
  /// Both allocators are given out by host().
  VirtualMemory(std::uint64_t limit_bytes, std::shared_ptr<HostAllocator> pageable, std::shared_ptr<LockedAllocator> pinned)
      : limit_(limit_bytes), pageable_(std::move(pageable)), pinned_(std::move(pinned)) {}

  /// Addresses are unique as long as their blocks live, 256-byte aligned, and point nowhere.
  DeviceBuffer allocate(std::size_t bytes) override;
  std::uint64_t used_bytes() const override { return count_->used; }
  std::uint64_t peak_bytes() const override { return count_->peak; }
  std::uint64_t limit_bytes() const override { return limit_; }
  std::shared_ptr<HostAllocator> host(HostMemory kind) override {
    if (kind == HostMemory::pinned) return pinned_;
    return pageable_;
  }
  /// Locked as far as the limit allows, as its pinned blocks are; never refused.
  PinnedRange pin(std::span<std::byte> memory) override { return pinned_->pin(memory); }

 private:
  struct Count {
    std::uint64_t used = 0;
    std::uint64_t peak = 0;
  };
  std::uint64_t limit_;
  std::shared_ptr<HostAllocator> pageable_;
  std::shared_ptr<LockedAllocator> pinned_;
  std::shared_ptr<Count> count_ = std::make_shared<Count>();
  std::uintptr_t next_address_ = 1 << 20;
};

}  // namespace feedtune
