#include <cstring>

#include "device/cuda/cuda_device.hpp"

extern "C" __attribute__((visibility("default"))) const feedtune::CudaPlugin* feedtune_cuda_entry(const char* build_id) {
  static constexpr feedtune::CudaPlugin plugin{&feedtune::cuda::status, &feedtune::cuda::make_cuda_device};
  return std::strcmp(build_id, FEEDTUNE_CUDA_BUILD_ID) == 0 ? &plugin : nullptr;
}
