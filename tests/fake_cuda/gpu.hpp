#pragma once
// What the fake cuBLAS asks of the fake runtime.
#include <cuda_runtime_api.h>

#include <functional>
#include <vector>

namespace fake_cuda {

struct Access {
  const void* address = nullptr;
  std::size_t bytes = 0;
  bool write = false;
};

/// Queues work that uses that device memory, checked against what other streams do with it. Returns the error that sticks, if any.
__attribute__((visibility("default"))) int queue_work(cudaStream_t stream, const std::vector<Access>& accesses, const char* what,
                                                      std::function<void()> work);

}  // namespace fake_cuda
