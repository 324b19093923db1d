#pragma once
#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>

#include "core/host_buffer.hpp"

namespace feedtune::cuda {

/// Host memory that the driver pins (cudaHostAlloc, cudaHostRegister); RLIMIT_MEMLOCK doesn't bind it. Safe from many threads; its
/// buffers and ranges may outlive it.
class PinnedAllocator final : public HostAllocator {
 public:
  HostMemory kind() const override { return HostMemory::pinned; }
  /// Throws TrialFailure{unsupported} where the driver refuses.
  HostBuffer allocate(std::size_t bytes) override;
  /// As DeviceMemory::pin().
  PinnedRange pin(std::span<std::byte> memory);
  std::uint64_t allocated_bytes() const override { return *pinned_; }
  std::uint64_t locked_bytes() const override { return *pinned_; }

 private:
  /// `other_way`: what else to try, in front of the refusal's advice.
  void check_pinning(cudaError_t error, std::size_t bytes, const char* other_way) const;

  std::shared_ptr<std::atomic<std::uint64_t>> pinned_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

}  // namespace feedtune::cuda
