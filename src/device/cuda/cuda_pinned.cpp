#include "device/cuda/cuda_pinned.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "device/cuda/cuda_error.hpp"

namespace feedtune::cuda {

HostBuffer PinnedAllocator::allocate(std::size_t bytes) {
  if (bytes == 0) return {};
  void* address = nullptr;
  check_pinning(cudaHostAlloc(&address, bytes, cudaHostAllocPortable), bytes, "");
  *pinned_ += bytes;
  return {address, bytes, HostMemory::pinned, [pinned = pinned_](void* data, std::size_t size) {
            (void)cudaFreeHost(data);
            *pinned -= size;
          }};
}

PinnedRange PinnedAllocator::pin(std::span<std::byte> memory) {
  if (memory.empty()) return {};
  check_pinning(cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterPortable), memory.size(), "pinning alloc, ");
  *pinned_ += memory.size();
  return {memory.data(), [pinned = pinned_, bytes = memory.size()](std::byte* data) {
             (void)cudaHostUnregister(data);
             *pinned -= bytes;
           }};
}

void PinnedAllocator::check_pinning(cudaError_t error, std::size_t bytes, const char* other_way) const {
  // Not supported: registering, on some systems without an I/O memory management of their own.
  if (error != cudaErrorMemoryAllocation && error != cudaErrorNotSupported) return check(error, "pinning host memory");
  (void)cudaGetLastError();
  throw TrialFailure(TrialStatus::unsupported,
                     fmt::format("the driver refused {} bytes of pinned host memory ({} bytes are pinned already); the limit is the "
                                 "driver's, no RLIMIT_MEMLOCK: use {}host_memory pageable, a smaller batch or fewer batches ahead",
                                 bytes, pinned_->load(), other_way));
}

}  // namespace feedtune::cuda
