#pragma once
#include <cuda_runtime_api.h>

#include <memory>

#include "device/cuda/cuda_pinned.hpp"
#include "device/cuda/cuda_stream.hpp"
#include "device/device.hpp"

namespace feedtune::cuda {

/// A memory pool of our own where the device has pools, else cudaMalloc. What the driver takes beside it (the context, cuBLAS, our
/// scratch memory) is not counted in used_bytes() and peak_bytes().
class CudaMemory final : public DeviceMemory {
 public:
  CudaMemory(int device, std::shared_ptr<HostAllocator> pageable);
  /// Waits for the device where memory goes back.
  DeviceBuffer allocate(std::size_t bytes) override;
  std::uint64_t used_bytes() const override;
  std::uint64_t peak_bytes() const override;
  std::uint64_t limit_bytes() const override { return limit_; }
  std::shared_ptr<HostAllocator> host(HostMemory kind) override;
  PinnedRange pin(std::span<std::byte> memory) override { return pinned_->pin(memory); }
  std::uint64_t available_bytes() const override;
  std::optional<std::uint64_t> driver_bytes() const override { return limit_ - std::min(available_bytes(), limit_); }

 private:
  struct Pool;
  std::shared_ptr<Pool> pool_;
  std::uint64_t limit_ = 0;
  std::shared_ptr<HostAllocator> pageable_;
  std::shared_ptr<PinnedAllocator> pinned_;
};

}  // namespace feedtune::cuda
