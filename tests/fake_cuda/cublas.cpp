// cuBLAS's functions that the program calls, by oneDNN's sgemm.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <dnnl.h>

#include <cstring>
#include <vector>

#include "gpu.hpp"
#include "settings.hpp"

struct cublasContext {
  cudaStream_t stream = nullptr;
  const void* workspace = nullptr;
};

namespace {

using fake_cuda::broken;

std::size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_32F: return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    default: broken("a GEMM of a type that isn't known here");
  }
}

float value_at(const void* data, cudaDataType type, std::size_t at) {
  if (type == CUDA_R_16F) return __half2float(static_cast<const __half*>(data)[at]);
  if (type == CUDA_R_16BF) return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[at]);
  return static_cast<const float*>(data)[at];
}

void put(void* data, cudaDataType type, std::size_t at, float value) {
  if (type == CUDA_R_16F) static_cast<__half*>(data)[at] = __float2half_rn(value);
  else if (type == CUDA_R_16BF) static_cast<__nv_bfloat16*>(data)[at] = __float2bfloat16_rn(value);
  else static_cast<float*>(data)[at] = value;
}

/// Column-major [rows][columns] with that leading dimension.
struct Matrix {
  std::size_t rows, columns, leading;
  std::size_t elements() const { return leading * (columns - 1) + rows; }
};

std::vector<float> packed(const void* data, cudaDataType type, const Matrix& m, bool tf32) {
  std::vector<float> values(m.rows * m.columns);
  for (std::size_t c = 0; c < m.columns; ++c)
    for (std::size_t r = 0; r < m.rows; ++r) {
      float value = value_at(data, type, c * m.leading + r);
      if (tf32) {  // 10 bits of mantissa, to nearest
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, 4);
        bits = (bits + 0x1000u) & ~0x1fffu;
        std::memcpy(&value, &bits, 4);
      }
      values[c * m.rows + r] = value;
    }
  return values;
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  handle->workspace = nullptr;  // as the real one does
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t) {
  handle->workspace = workspace;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_INVALID_VALUE ? "an invalid value" : status == CUBLAS_STATUS_EXECUTION_FAILED ? "execution failed" : "another status";
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transpose_a, cublasOperation_t transpose_b, int m, int n, int k,
                            const void* alpha, const void* a, cudaDataType a_type, int lda, const void* b, cudaDataType b_type, int ldb,
                            const void* beta, void* c, cudaDataType c_type, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t) {
  if (handle->workspace == nullptr) broken("a GEMM without the workspace it was to use");
  if (compute != CUBLAS_COMPUTE_32F && compute != CUBLAS_COMPUTE_32F_FAST_TF32) broken("a GEMM that doesn't accumulate in fp32");
  const auto shape = [](cublasOperation_t transposed, int rows, int columns, int leading) {
    return transposed == CUBLAS_OP_N ? Matrix{static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), static_cast<std::size_t>(leading)}
                                     : Matrix{static_cast<std::size_t>(columns), static_cast<std::size_t>(rows), static_cast<std::size_t>(leading)};
  };
  const Matrix in_a = shape(transpose_a, m, k, lda), in_b = shape(transpose_b, k, n, ldb), out = shape(CUBLAS_OP_N, m, n, ldc);
  if (in_a.leading < in_a.rows || in_b.leading < in_b.rows || out.leading < out.rows) return CUBLAS_STATUS_INVALID_VALUE;
  // The model's matrices are dense: another leading dimension would be somebody's mistake.
  if (in_a.leading != in_a.rows || in_b.leading != in_b.rows || out.leading != out.rows) broken("a GEMM with a wrong leading dimension");
  const float scale = *static_cast<const float*>(alpha), keep = *static_cast<const float*>(beta);
  const bool tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const int error = fake_cuda::queue_work(
      handle->stream,
      {{a, in_a.elements() * bytes_of(a_type), false}, {b, in_b.elements() * bytes_of(b_type), false}, {c, out.elements() * bytes_of(c_type), true}},
      "a GEMM", [=] {
        const auto left = packed(a, a_type, in_a, tf32), right = packed(b, b_type, in_b, tf32);
        auto product = packed(c, c_type, out, false);
        // dnnl_sgemm is row-major: C^T = op(B)^T op(A)^T again.
        const auto status = dnnl_sgemm(transpose_b == CUBLAS_OP_N ? 'N' : 'T', transpose_a == CUBLAS_OP_N ? 'N' : 'T', n, m, k, scale, right.data(),
                                       static_cast<dnnl_dim_t>(in_b.rows), left.data(), static_cast<dnnl_dim_t>(in_a.rows), keep, product.data(), m);
        if (status != dnnl_success) broken("oneDNN's sgemm failed");
        for (std::size_t at = 0; at < product.size(); ++at) put(c, c_type, at, product[at]);
      });
  return error == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
