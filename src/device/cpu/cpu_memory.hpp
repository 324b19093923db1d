#pragma once
// Device memory of the cpu device: host memory, counted as a GPU's would be.

#include <atomic>
#include <cstdint>
#include <memory>

#include "device/device.hpp"
#include "device/host_allocators.hpp"

namespace feedtune {

/// Blocks are PageableAllocator's: aligned, pre-faulted, refused where the machine lacks the memory. Safe from many
/// threads.
class CpuMemory final : public DeviceMemory {
 public:
  explicit CpuMemory(const HostMemoryLeft& left = {});
  DeviceBuffer allocate(std::size_t bytes) override;
  std::uint64_t used_bytes() const override { return count_->used; }
  std::uint64_t peak_bytes() const override { return count_->peak; }
  std::uint64_t limit_bytes() const override { return 0; }
  std::shared_ptr<HostAllocator> host(HostMemory kind) override { return kind == HostMemory::pinned ? pinned_ : pageable_; }
  /// Nothing copies from it.
  PinnedRange pin(std::span<std::byte>) override { return {}; }

 private:
  struct Count {
    std::atomic<std::uint64_t> used = 0;
    std::atomic<std::uint64_t> peak = 0;
  };
  std::shared_ptr<Count> count_;
  std::shared_ptr<HostAllocator> pageable_;
  std::shared_ptr<HostAllocator> pinned_;
  std::shared_ptr<HostAllocator> own_;  // apart from pageable_, whose count is of batch buffers
};

}  // namespace feedtune
