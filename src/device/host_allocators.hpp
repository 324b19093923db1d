#pragma once
// Host memory of both kinds for devices that don't pin it themselves (cpu, virtual): the cuda backend brings its own
// pinned allocator. Both are safe from many threads, and their buffers may outlive them.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/host_buffer.hpp"

namespace feedtune {

/// What an allocator has given out; shared with the deleters of its buffers.
struct HostMemoryCount {
  std::atomic<std::uint64_t> allocated = 0;
  std::atomic<std::uint64_t> locked = 0;
};

/// Bytes of host memory that can still be had; nothing: unknown. Asked before every block of 4 KiB and more: an mmap that
/// overcommits succeeds, and touching its pages then gets the process killed. Safe from many threads. Empty: MemAvailable of
/// /proc/meminfo, which knows nothing of a container's limit.
using HostMemoryLeft = std::function<std::optional<std::int64_t>()>;

/// Ordinary memory: pre-faulted, in huge pages from 2 MiB up where the kernel gives them on advice.
/// Throws OutOfMemory{host}, also where the memory that is left could not back the pages.
class PageableAllocator final : public HostAllocator {
 public:
  explicit PageableAllocator(HostMemoryLeft left = {}) : left_(std::move(left)) {}
  HostMemory kind() const override { return HostMemory::pageable; }
  HostBuffer allocate(std::size_t bytes) override;
  std::uint64_t allocated_bytes() const override { return count_->allocated; }
  std::uint64_t locked_bytes() const override { return 0; }

 private:
  HostMemoryLeft left_;
  std::shared_ptr<HostMemoryCount> count_ = std::make_shared<HostMemoryCount>();
};

/// Stands for pinned memory: pre-faulted and locked by mlock as far as RLIMIT_MEMLOCK allows. That limit is 8 MiB for
/// most users and does not bind CUDA's own pinning, so what exceeds it is `pinned` all the same, and
/// locked_bytes() < allocated_bytes() tells.
class LockedAllocator final : public HostAllocator {
 public:
  explicit LockedAllocator(HostMemoryLeft left = {}) : left_(std::move(left)) {}
  HostMemory kind() const override { return HostMemory::pinned; }
  HostBuffer allocate(std::size_t bytes) override;
  /// Locks pages that somebody else allocated, and counts them. `memory` begins at a page.
  PinnedRange pin(std::span<std::byte> memory);
  std::uint64_t allocated_bytes() const override { return count_->allocated; }
  std::uint64_t locked_bytes() const override { return count_->locked; }

 private:
  HostMemoryLeft left_;
  std::shared_ptr<HostMemoryCount> count_ = std::make_shared<HostMemoryCount>();
};

}  // namespace feedtune
