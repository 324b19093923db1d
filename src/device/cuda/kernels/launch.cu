#include "device/cuda/kernels/launch.hpp"

#include "device/cuda/kernels/list.hpp"

namespace feedtune::cuda {

template <class Kernel>
__global__ void __launch_bounds__(256) run_items(Kernel kernel, std::int64_t items) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; item < items; item += step) kernel(item);
}

template <class Kernel, int Phase>
__device__ void run_phases(const Kernel& kernel, float* shared) {
  kernel.template run<Phase>(blockIdx.x, static_cast<int>(threadIdx.x), shared);
  if constexpr (Phase + 1 < Kernel::phases) {
    __syncthreads();
    run_phases<Kernel, Phase + 1>(kernel, shared);
  }
}

template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads) run_blocks(Kernel kernel) {
  __shared__ float shared[Kernel::shared_floats];
  run_phases<Kernel, 0>(kernel, shared);
}

template <class Kernel>
cudaError_t launch_items(const Kernel& kernel, std::int64_t items, cudaStream_t stream) {
  if (items == 0) return cudaSuccess;
  constexpr int threads = 256;
  constexpr std::int64_t most_blocks = 1 << 20;
  const std::int64_t blocks = (items + threads - 1) / threads;
  run_items<<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), threads, 0, stream>>>(kernel, items);
  return cudaPeekAtLastError();
}

template <class Kernel>
cudaError_t launch_blocks(const Kernel& kernel, std::int64_t blocks, cudaStream_t stream) {
  if (blocks == 0) return cudaSuccess;
  run_blocks<<<static_cast<unsigned>(blocks), Kernel::threads, 0, stream>>>(kernel);
  return cudaPeekAtLastError();
}

#define FEEDTUNE_ITEMS(...) template cudaError_t launch_items(const __VA_ARGS__&, std::int64_t, cudaStream_t);
#define FEEDTUNE_BLOCKS(...) template cudaError_t launch_blocks(const __VA_ARGS__&, std::int64_t, cudaStream_t);
FEEDTUNE_ALL_KERNELS(FEEDTUNE_ITEMS, FEEDTUNE_BLOCKS)

}  // namespace feedtune::cuda
