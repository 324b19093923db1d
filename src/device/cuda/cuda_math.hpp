#pragma once
#include <cublas_v2.h>

#include <memory>

#include "device/cuda/cuda_stream.hpp"
#include "device/math.hpp"

namespace feedtune::cuda {

/// GEMM by cuBLAS, the rest by the kernels of kernels/. Activations are f32, f16 or bf16. The shapes of device/math.hpp need no
/// batched GEMM: each is one plain product over the whole batch, which gives cuBLAS the largest tiles.
class CudaMath final : public DeviceMath {
 public:
  /// Takes its scratch memory at once: cuBLAS's workspace and 4 MiB for sums over rows.
  explicit CudaMath(int compute_major);

  std::size_t element_bytes(Element element) const override;
  void gemm(Stream& stream, const Gemm& gemm) override;
  void extract_patches(Stream& stream, const Tensor& input, const Tensor& patches, std::int64_t batch, int side,
                       int patch) override;
  void bias_gelu(Stream& stream, const Tensor& pre, const Tensor& bias, const Tensor& out, std::int64_t rows,
                 std::int64_t columns) override;
  void bias_gelu_backward(Stream& stream, const Tensor& pre, const Tensor& gradient, const Tensor& bias_gradient,
                          std::int64_t rows, std::int64_t columns) override;
  void bias_residual(Stream& stream, const Tensor& x, const Tensor& bias, const Tensor& residual, const Tensor& out,
                     std::int64_t rows, std::int64_t columns) override;
  void bias_backward(Stream& stream, const Tensor& gradient, const Tensor& bias_gradient, std::int64_t rows,
                     std::int64_t columns) override;
  void transpose(Stream& stream, const Tensor& x, const Tensor& bias, const Tensor& residual, const Tensor& out,
                 std::int64_t batch, std::int64_t rows, std::int64_t columns) override;
  void mean_pool(Stream& stream, const Tensor& x, const Tensor& pooled, std::int64_t batch, std::int64_t tokens,
                 std::int64_t channels) override;
  void mean_pool_backward(Stream& stream, const Tensor& pooled_gradient, const Tensor& gradient, std::int64_t batch,
                          std::int64_t tokens, std::int64_t channels) override;
  void softmax_cross_entropy(Stream& stream, const Tensor& logits, const std::byte* labels, const Tensor& losses,
                             std::int64_t batch, std::int64_t classes, float loss_scale) override;
  void sgd_momentum(Stream& stream, const Tensor& weights, const Tensor& momentum, const Tensor& gradient,
                    const Tensor& copy, float rate, float mu, float loss_scale) override;
  void fill_zero(Stream& stream, const Tensor& tensor) override;
  void upload(const Tensor& tensor, std::span<const float> values) override;
  void download(const Tensor& tensor, std::span<float> values) override;

 private:
  struct DestroyHandle {
    void operator()(cublasContext* handle) const { (void)cublasDestroy(handle); }
  };
  struct FreeMemory {
    void operator()(void* address) const { (void)cudaFree(address); }
  };
  using Scratch = std::unique_ptr<void, FreeMemory>;
  static Scratch take(std::size_t bytes, const char* what);
  /// How many chunks of how many rows fill the device and fit into the scratch memory.
  struct Chunks {
    std::int64_t count, rows;
  };
  static Chunks chunks_of(std::int64_t rows, std::int64_t columns);
  void use(cudaStream_t stream);
  void total(cudaStream_t stream, const Tensor& totals, std::int64_t chunks, std::int64_t columns);

  Scratch sums_;
  Scratch workspace_;
  std::size_t workspace_bytes_ = 0;
  cudaStream_t in_use_ = nullptr;
  std::unique_ptr<cublasContext, DestroyHandle> cublas_;
};

}  // namespace feedtune::cuda
