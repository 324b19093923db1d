#include "device/cuda/cuda_pinned.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "device/cuda/cuda_error.hpp"

namespace feedtune::cuda {

HostBuffer PinnedAllocator::allocate(std::size_t bytes) {
  if (bytes == 0) return {};
  void* address = nullptr;
  const cudaError_t error = cudaHostAlloc(&address, bytes, cudaHostAllocPortable);
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw TrialFailure(TrialStatus::unsupported,
                       fmt::format("the driver refused {} bytes of pinned host memory ({} bytes are pinned already); the limit is the "
                                   "driver's, no RLIMIT_MEMLOCK: use host_memory pageable, a smaller batch or fewer batches ahead",
                                   bytes, allocated_->load()));
  }
  check(error, "pinning host memory");
  *allocated_ += bytes;
  return {address, bytes, HostMemory::pinned, [allocated = allocated_](void* data, std::size_t size) {
            (void)cudaFreeHost(data);
            *allocated -= size;
          }};
}

}  // namespace feedtune::cuda
