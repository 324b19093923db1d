#pragma once
// What the model step asks of a device: one GEMM and the element-wise kernels around it. All work is queued on a
// stream. Matrices are dense and row-major; sizes are in elements. Weights, biases, their gradients and momenta are
// f32; activations are in the trial's compute element (f32, f16 or bf16); every sum and product accumulates in fp32.
//
// Token mixing works on transposed activations ([batch * channels][tokens]), so that every GEMM is one plain matrix
// product over the whole batch and every bias belongs to columns; transpose() moves between the two layouts.
// But for gemm() every kernel here is bound by memory; its comment names the traffic ("moves"), which is its cost on a
// modelled device. A tensor named there counts count * element bytes.

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

/// C = op(A) op(B), or C += op(A) op(B) with `accumulate`: C [m][n], op(A) [m][k], op(B) [k][n]; a transposed operand
/// is stored as [k][m] or [n][k]. A and B have one element type; C has the same or f32.
struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  bool accumulate = false;
  Tensor a, b, c;
  Precision precision = Precision::fp32;  ///< of the products; fp32 and tf32 differ for f32 elements only
  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

/// One training thread queues work at a time. Shapes that contradict their tensors' counts are a bug (assertions).
class DeviceMath {
 public:
  virtual ~DeviceMath() = default;

  /// Bytes that one element takes on this device (the tests' double-precision device stores f32 in 8).
  virtual std::size_t element_bytes(Element element) const = 0;

  virtual void gemm(Stream& stream, const Gemm& gemm) = 0;

  /// input: NCHW batch of 3 x side x side images, u8 (0..255: normalised here with ImageNet's mean and deviation),
  /// f32 or f16 (already normalised). patches: [batch * (side/patch)^2][3 * patch * patch], patches row by row, each
  /// [channel][y][x]. Moves input + patches.
  virtual void extract_patches(Stream& stream, const Tensor& input, const Tensor& patches, std::int64_t batch, int side,
                               int patch) = 0;

  /// pre += bias; out = GELU(pre) (tanh form). [rows][columns], one bias a column. Moves 2 * pre + out.
  virtual void bias_gelu(Stream& stream, const Tensor& pre, const Tensor& bias, const Tensor& out, std::int64_t rows,
                         std::int64_t columns) = 0;
  /// gradient *= GELU'(pre); bias_gradient = its column sums (overwritten). Moves pre + 2 * gradient.
  virtual void bias_gelu_backward(Stream& stream, const Tensor& pre, const Tensor& gradient, const Tensor& bias_gradient,
                                  std::int64_t rows, std::int64_t columns) = 0;
  /// out = residual + x + bias, one bias a column; `residual` may have a null address (then out = x + bias). out may be
  /// x or residual. Moves x + residual + out.
  virtual void bias_residual(Stream& stream, const Tensor& x, const Tensor& bias, const Tensor& residual,
                             const Tensor& out, std::int64_t rows, std::int64_t columns) = 0;
  /// bias_gradient = column sums of gradient (overwritten). Moves gradient.
  virtual void bias_backward(Stream& stream, const Tensor& gradient, const Tensor& bias_gradient, std::int64_t rows,
                             std::int64_t columns) = 0;
  /// For each of the batch: out[c][r] = x[r][c] + bias[c] + residual[c][r]; bias and residual may have null addresses
  /// (then they don't count). out may be residual, never x. Moves x + residual + out.
  virtual void transpose(Stream& stream, const Tensor& x, const Tensor& bias, const Tensor& residual, const Tensor& out,
                         std::int64_t batch, std::int64_t rows, std::int64_t columns) = 0;
  /// pooled[b][c] = mean over t of x[b][t][c]. Moves x + pooled.
  virtual void mean_pool(Stream& stream, const Tensor& x, const Tensor& pooled, std::int64_t batch, std::int64_t tokens,
                         std::int64_t channels) = 0;
  /// gradient[b][t][c] = pooled_gradient[b][c] / tokens. Moves pooled_gradient + gradient.
  virtual void mean_pool_backward(Stream& stream, const Tensor& pooled_gradient, const Tensor& gradient,
                                  std::int64_t batch, std::int64_t tokens, std::int64_t channels) = 0;
  /// logits [batch][classes] become the gradient of (loss_scale * mean cross-entropy); losses[b] (f32) is the
  /// unscaled cross-entropy of image b. labels: device memory, int32 per image, 0..classes-1. Moves 2 * logits.
  virtual void softmax_cross_entropy(Stream& stream, const Tensor& logits, const std::byte* labels, const Tensor& losses,
                                     std::int64_t batch, std::int64_t classes, float loss_scale) = 0;
  /// Element by element: momentum = mu * momentum + gradient / loss_scale; weights -= rate * momentum; `copy` (null
  /// address: none) gets the weight in its own element type. An element whose gradient is not finite keeps its weight
  /// and momentum. Moves 2 * weights + 2 * momentum + gradient + copy.
  virtual void sgd_momentum(Stream& stream, const Tensor& weights, const Tensor& momentum, const Tensor& gradient,
                            const Tensor& copy, float rate, float mu, float loss_scale) = 0;
  /// Moves tensor.
  virtual void fill_zero(Stream& stream, const Tensor& tensor) = 0;
  /// Set-up and tests: copies between host floats and a tensor, converting; waits until done. Not part of a step.
  virtual void upload(const Tensor& tensor, std::span<const float> values) = 0;
  virtual void download(const Tensor& tensor, std::span<float> values) = 0;
};

}  // namespace feedtune
