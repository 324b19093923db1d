#pragma once
#include <memory>

#include "device/cuda_plugin.hpp"

namespace feedtune::cuda {

/// See CudaPlugin.
CudaStatus status();
std::unique_ptr<Device> make_cuda_device(std::shared_ptr<Clock> clock, std::shared_ptr<HostAllocator> pageable);

}  // namespace feedtune::cuda
