#pragma once
// The CUDA runtime's and cuBLAS's status codes as the program's errors.

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace feedtune::cuda {

/// Throws TrialFailure{crashed} naming the error and what was being done. Errors of kernels and copies come late: `doing` may be
/// later than the cause. After most of them the process can't use the device any more: its trial ends, and the process with it.
void check(cudaError_t error, const char* doing);
void check(cublasStatus_t status, const char* doing);

/// The same for an allocation: OutOfMemory{device} with the bytes and what is free, where memory is what lacks.
void check_allocation(cudaError_t error, std::uint64_t bytes, const char* doing);

}  // namespace feedtune::cuda
