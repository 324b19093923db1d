#include "device/cuda/cuda_memory.hpp"

#include <algorithm>
#include <cstdint>

#include "core/error.hpp"
#include "device/cuda/cuda_error.hpp"

namespace feedtune::cuda {

/// Lives until the last buffer is given back.
struct CudaMemory::Pool {
  explicit Pool(int device) {
    int has_pools = 0;
    check(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device), "asking for memory pools");
    if (has_pools == 0) return;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;  // the only type there is: not movable
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    check(cudaMemPoolCreate(&pool, &properties), "creating a memory pool");
    std::uint64_t keep_everything = UINT64_MAX;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_everything), "setting up the memory pool");
    stream = create_stream();
  }
  ~Pool() {
    if (pool != nullptr) (void)cudaMemPoolDestroy(pool);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// `asked` is what an error says.
  void* take(std::size_t bytes, std::size_t asked) {
    void* address = nullptr;
    if (pool == nullptr) {
      check_allocation(cudaMalloc(&address, bytes), asked, "allocating device memory");
    } else {
      check_allocation(cudaMallocFromPoolAsync(&address, bytes, pool, stream.get()), asked, "allocating device memory");
      check(cudaStreamSynchronize(stream.get()), "allocating device memory");
    }
    return address;
  }
  void give_back(void* address) {
    // Streams that still use it are not known here. Errors: the device is lost, and the process ends.
    (void)cudaDeviceSynchronize();
    (void)(pool == nullptr ? cudaFree(address) : cudaFreeAsync(address, stream.get()));
  }

  cudaMemPool_t pool = nullptr;
  OwnedStream stream;
  std::uint64_t used = 0;
  std::uint64_t peak = 0;
};

CudaMemory::CudaMemory(int device, std::shared_ptr<HostAllocator> pageable)
    : pool_(std::make_shared<Pool>(device)), pageable_(std::move(pageable)), pinned_(std::make_shared<PinnedAllocator>()) {
  std::size_t available = 0, total = 0;
  check(cudaMemGetInfo(&available, &total), "asking for the device's memory");
  limit_ = total;
}

DeviceBuffer CudaMemory::allocate(std::size_t bytes) {
  if (bytes == 0) return {};
  const std::size_t accounted = accounted_bytes(bytes);
  if (accounted < bytes) throw OutOfMemory(MemoryKind::device, bytes, limit_);
  void* address = pool_->take(accounted, bytes);
  pool_->used += accounted;
  pool_->peak = std::max(pool_->peak, pool_->used);
  return {static_cast<std::byte*>(address), bytes, [pool = pool_, accounted](std::byte* gone, std::size_t) {
            pool->give_back(gone);
            pool->used -= accounted;
          }};
}

std::shared_ptr<HostAllocator> CudaMemory::host(HostMemory kind) {
  if (kind == HostMemory::pinned) return pinned_;
  return pageable_;
}

std::uint64_t CudaMemory::available_bytes() const {
  std::size_t available = 0, total = 0;
  check(cudaMemGetInfo(&available, &total), "asking for the device's memory");
  return available;
}

std::uint64_t CudaMemory::used_bytes() const { return pool_->used; }
std::uint64_t CudaMemory::peak_bytes() const { return pool_->peak; }

}  // namespace feedtune::cuda
