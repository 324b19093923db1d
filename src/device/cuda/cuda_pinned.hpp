#pragma once
#include <atomic>
#include <memory>

#include "core/host_buffer.hpp"

namespace feedtune::cuda {

/// Host memory that the driver pins (cudaHostAlloc); RLIMIT_MEMLOCK doesn't bind it. Safe from many threads; its buffers may
/// outlive it.
class PinnedAllocator final : public HostAllocator {
 public:
  HostMemory kind() const override { return HostMemory::pinned; }
  /// Throws TrialFailure{unsupported} where the driver refuses.
  HostBuffer allocate(std::size_t bytes) override;
  std::uint64_t allocated_bytes() const override { return *allocated_; }
  std::uint64_t locked_bytes() const override { return *allocated_; }

 private:
  std::shared_ptr<std::atomic<std::uint64_t>> allocated_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

}  // namespace feedtune::cuda
