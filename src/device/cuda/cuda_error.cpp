#include "device/cuda/cuda_error.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace feedtune::cuda {

void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  throw TrialFailure(TrialStatus::crashed,
                     fmt::format("CUDA: {} ({}) seen in {}", cudaGetErrorString(error), cudaGetErrorName(error), doing));
}

void check(cublasStatus_t status, const char* doing) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw OutOfMemory(MemoryKind::device, 0, 0);
  throw TrialFailure(TrialStatus::crashed, fmt::format("cuBLAS: {} seen in {}", cublasGetStatusString(status), doing));
}

void check_allocation(cudaError_t error, std::uint64_t bytes, const char* doing) {
  if (error != cudaErrorMemoryAllocation) return check(error, doing);
  (void)cudaGetLastError();  // it doesn't stick: other work goes on
  std::size_t available = 0, total = 0;
  if (cudaMemGetInfo(&available, &total) != cudaSuccess) (void)cudaGetLastError();
  throw OutOfMemory(MemoryKind::device, bytes, available);
}

}  // namespace feedtune::cuda
