#pragma once
#include "device/math.hpp"

namespace feedtune {

/// The step's maths on the host's cores, f32 only (u8 and f16 as input of extract_patches). See make_cpu_device().
class CpuMath final : public DeviceMath {
 public:
  explicit CpuMath(int threads) : threads_(threads) {}

  std::size_t element_bytes(Element element) const override;
  /// Throws TrialFailure{unsupported} for a precision other than fp32.
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
  int threads_;
};

}  // namespace feedtune
