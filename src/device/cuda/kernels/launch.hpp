#pragma once
// Starts kernels on a stream. Defined in launch.cu, for the kernels of list.hpp.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace feedtune::cuda {

/// Queues kernel(0) ... kernel(items - 1).
template <class Kernel>
cudaError_t launch_items(const Kernel& kernel, std::int64_t items, cudaStream_t stream);

/// Queues blocks 0 ... blocks - 1, at most 2^31 - 1.
template <class Kernel>
cudaError_t launch_blocks(const Kernel& kernel, std::int64_t blocks, cudaStream_t stream);

}  // namespace feedtune::cuda
