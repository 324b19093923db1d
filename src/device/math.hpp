#pragma once
// What the model step asks of a device: one GEMM and the element-wise kernels around it. All work is queued on a
// stream. Matrices are dense and row-major; sizes are in elements. Weights, biases, their gradients and momenta are
// f32; activations are in the trial's compute element (f32, f16 or bf16), products accumulate in fp32.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/enums.hpp"

namespace feedtune {

class Stream;

enum class Element { u8, f32, f16, bf16 };

/// Device memory with its element type; not owning. The address may be followed only by the device.
struct Tensor {
  std::byte* address = nullptr;
  std::size_t count = 0;
  Element element = Element::f32;
};

/// For i in 0..batch: C_i = alpha * op(A_i) op(B_i) + beta * C_i, with C_i [m][n], op(A_i) [m][k], op(B_i) [k][n].
/// A stride of 0 shares the matrix between all i (A and B only).
struct Gemm {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  Tensor a, b, c;
  std::int64_t lda = 0, ldb = 0, ldc = 0;  ///< row lengths as stored
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
  float alpha = 1, beta = 0;
  Precision precision = Precision::fp32;
  double flops() const { return 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

/// Which index of a [rows][columns] matrix selects the bias.
enum class BiasAlong { columns, rows };

class DeviceMath {
 public:
  virtual ~DeviceMath() = default;

  /// Bytes that one element takes on this device (the tests' double-precision device stores f32 in 8).
  virtual std::size_t element_bytes(Element element) const = 0;

  virtual void gemm(Stream& stream, const Gemm& gemm) = 0;

  /// input: NCHW batch of 3 x side x side images, u8 (0..255: normalised here with ImageNet's mean and deviation),
  /// f32 or f16 (already normalised). patches: [batch * (side/patch)^2][3 * patch * patch].
  virtual void extract_patches(Stream& stream, const Tensor& input, const Tensor& patches, int batch, int side,
                               int patch) = 0;

  /// pre += bias; out = GELU(pre) (tanh form). [rows][columns], bias along `along`; rows repeat with period
  /// `bias.count` when along rows (a batch of [bias.count][columns] matrices).
  virtual void bias_gelu(Stream& stream, const Tensor& pre, const Tensor& bias, const Tensor& out, std::int64_t rows,
                         std::int64_t columns, BiasAlong along) = 0;
  /// gradient *= GELU'(pre); bias_gradient = its sums (overwritten, f32).
  virtual void bias_gelu_backward(Stream& stream, const Tensor& pre, const Tensor& gradient, const Tensor& bias_gradient,
                                  std::int64_t rows, std::int64_t columns, BiasAlong along) = 0;
  /// out = residual + x + bias; `residual` may have a null address (then out = x + bias). out may be x or residual.
  virtual void bias_residual(Stream& stream, const Tensor& x, const Tensor& bias, const Tensor& residual,
                             const Tensor& out, std::int64_t rows, std::int64_t columns, BiasAlong along) = 0;
  /// bias_gradient = sums of gradient over everything but the bias index (overwritten, f32).
  virtual void bias_backward(Stream& stream, const Tensor& gradient, const Tensor& bias_gradient, std::int64_t rows,
                             std::int64_t columns, BiasAlong along) = 0;
  /// into += x.
  virtual void add(Stream& stream, const Tensor& x, const Tensor& into) = 0;
  /// sum[j] = sum over i of parts[i * sum.count + j]; sum is f32 and overwritten.
  virtual void sum_batch(Stream& stream, const Tensor& parts, const Tensor& sum, std::int64_t batch) = 0;
  /// pooled[b][d] = mean over t of x[b][t][d].
  virtual void mean_pool(Stream& stream, const Tensor& x, const Tensor& pooled, std::int64_t batch, std::int64_t tokens,
                         std::int64_t channels) = 0;
  virtual void mean_pool_backward(Stream& stream, const Tensor& pooled_gradient, const Tensor& gradient,
                                  std::int64_t batch, std::int64_t tokens, std::int64_t channels) = 0;
  /// logits [batch][classes] become the gradient of (loss_scale * mean cross-entropy); losses[b] (f32) is the
  /// unscaled cross-entropy of image b. labels: device memory, int32 per image.
  virtual void softmax_cross_entropy(Stream& stream, const Tensor& logits, const std::byte* labels, const Tensor& losses,
                                     std::int64_t batch, std::int64_t classes, float loss_scale) = 0;
  /// momentum = mu * momentum + gradient / loss_scale; weights -= rate * momentum; `copy` (null address: none) gets
  /// the weights in the compute element. A gradient with a value that is not finite leaves weights and momentum.
  virtual void sgd_momentum(Stream& stream, const Tensor& weights, const Tensor& momentum, const Tensor& gradient,
                            const Tensor& copy, float rate, float mu, float loss_scale) = 0;
  virtual void fill_zero(Stream& stream, const Tensor& tensor) = 0;
  /// Set-up and tests: copies between host floats and a tensor, converting; waits until done.
  virtual void upload(const Tensor& tensor, std::span<const float> values) = 0;
  virtual void download(const Tensor& tensor, std::span<float> values) = 0;
};

}  // namespace feedtune
