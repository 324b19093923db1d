#pragma once
// The step's maths in double precision, each kernel written straight from its description in device/math.hpp: the
// reference for gradients. f32 tensors hold doubles here, so addresses of parts of them step by 8 bytes.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "device/device.hpp"

namespace feedtune {

inline double* doubles(const Tensor& tensor) { return reinterpret_cast<double*>(tensor.address); }

class NaiveDoubleMath final : public DeviceMath {
 public:
  std::size_t element_bytes(Element element) const override { return element == Element::f32 ? sizeof(double) : 1; }

  void gemm(Stream&, const Gemm& g) override {
    for (std::int64_t i = 0; i < g.m; ++i)
      for (std::int64_t j = 0; j < g.n; ++j) {
        double sum = g.accumulate ? doubles(g.c)[i * g.n + j] : 0;
        for (std::int64_t p = 0; p < g.k; ++p)
          sum += doubles(g.a)[g.transpose_a ? p * g.m + i : i * g.k + p] *
                 doubles(g.b)[g.transpose_b ? j * g.k + p : p * g.n + j];
        doubles(g.c)[i * g.n + j] = sum;
      }
  }

  void extract_patches(Stream&, const Tensor& input, const Tensor& patches, std::int64_t batch, int side,
                       int patch) override {
    double* out = doubles(patches);
    for (std::int64_t b = 0; b < batch; ++b)
      for (int py = 0; py < side / patch; ++py)
        for (int px = 0; px < side / patch; ++px)
          for (int c = 0; c < 3; ++c)
            for (int y = 0; y < patch; ++y)
              for (int x = 0; x < patch; ++x)
                *out++ = input_value(input, ((b * 3 + c) * side + py * patch + y) * side + px * patch + x, c);
  }

  void bias_gelu(Stream&, const Tensor& pre, const Tensor& bias, const Tensor& out, std::int64_t rows,
                 std::int64_t columns) override {
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const double x = doubles(pre)[i] += doubles(bias)[i % columns];
      doubles(out)[i] = 0.5 * x * (1 + std::tanh(inner(x)));
    }
  }

  void bias_gelu_backward(Stream& stream, const Tensor& pre, const Tensor& gradient, const Tensor& bias_gradient,
                          std::int64_t rows, std::int64_t columns) override {
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const double x = doubles(pre)[i];
      const double t = std::tanh(inner(x));
      doubles(gradient)[i] *= 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
    }
    bias_backward(stream, gradient, bias_gradient, rows, columns);
  }

  void bias_residual(Stream&, const Tensor& x, const Tensor& bias, const Tensor& residual, const Tensor& out,
                     std::int64_t rows, std::int64_t columns) override {
    for (std::int64_t i = 0; i < rows * columns; ++i)
      doubles(out)[i] = doubles(x)[i] + doubles(bias)[i % columns] + (residual.address ? doubles(residual)[i] : 0);
  }

  void bias_backward(Stream&, const Tensor& gradient, const Tensor& bias_gradient, std::int64_t rows,
                     std::int64_t columns) override {
    std::fill_n(doubles(bias_gradient), columns, 0.0);
    for (std::int64_t i = 0; i < rows * columns; ++i) doubles(bias_gradient)[i % columns] += doubles(gradient)[i];
  }

  void transpose(Stream&, const Tensor& x, const Tensor& bias, const Tensor& residual, const Tensor& out,
                 std::int64_t batch, std::int64_t rows, std::int64_t columns) override {
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) {
          const std::int64_t to = (b * columns + c) * rows + r;
          doubles(out)[to] = doubles(x)[(b * rows + r) * columns + c] + (bias.address ? doubles(bias)[c] : 0) +
                             (residual.address ? doubles(residual)[to] : 0);
        }
  }

  void mean_pool(Stream&, const Tensor& x, const Tensor& pooled, std::int64_t batch, std::int64_t tokens,
                 std::int64_t channels) override {
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (std::int64_t t = 0; t < tokens; ++t) sum += doubles(x)[(b * tokens + t) * channels + c];
        doubles(pooled)[b * channels + c] = sum / static_cast<double>(tokens);
      }
  }

  void mean_pool_backward(Stream&, const Tensor& pooled_gradient, const Tensor& gradient, std::int64_t batch,
                          std::int64_t tokens, std::int64_t channels) override {
    for (std::int64_t i = 0; i < batch * tokens * channels; ++i)
      doubles(gradient)[i] =
          doubles(pooled_gradient)[i / (tokens * channels) * channels + i % channels] / static_cast<double>(tokens);
  }

  void softmax_cross_entropy(Stream&, const Tensor& logits, const std::byte* labels, const Tensor& losses,
                             std::int64_t batch, std::int64_t classes, float loss_scale) override {
    for (std::int64_t b = 0; b < batch; ++b) {
      std::int32_t label = 0;
      std::memcpy(&label, labels + 4 * b, 4);
      double* row = doubles(logits) + b * classes;
      double sum = 0;
      for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(row[c]);
      doubles(losses)[b] = std::log(sum) - row[label];
      for (std::int64_t c = 0; c < classes; ++c)
        row[c] = (std::exp(row[c]) / sum - (c == label ? 1 : 0)) * static_cast<double>(loss_scale) / static_cast<double>(batch);
    }
  }

  void sgd_momentum(Stream&, const Tensor& weights, const Tensor& momentum, const Tensor& gradient, const Tensor&,
                    float rate, float mu, float loss_scale) override {
    for (std::size_t i = 0; i < weights.count; ++i) {
      if (!std::isfinite(doubles(gradient)[i])) continue;
      double& v = doubles(momentum)[i];
      v = static_cast<double>(mu) * v + doubles(gradient)[i] / static_cast<double>(loss_scale);
      doubles(weights)[i] -= static_cast<double>(rate) * v;
    }
  }

  void fill_zero(Stream&, const Tensor& tensor) override {
    std::memset(tensor.address, 0, tensor.count * element_bytes(tensor.element));
  }
  void upload(const Tensor& tensor, std::span<const float> values) override {
    std::copy(values.begin(), values.end(), doubles(tensor));
  }
  void download(const Tensor& tensor, std::span<float> values) override {
    std::transform(doubles(tensor), doubles(tensor) + values.size(), values.begin(),
                   [](double value) { return static_cast<float>(value); });
  }

 private:
  static double inner(double x) { return std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x); }

  static double input_value(const Tensor& input, std::int64_t index, int channel) {
    if (input.element == Element::f32) return doubles(input)[index];
    constexpr double mean[] = {0.485, 0.456, 0.406};
    constexpr double deviation[] = {0.229, 0.224, 0.225};
    return (std::to_integer<int>(input.address[index]) / 255.0 - mean[channel]) / deviation[channel];
  }
};

class NaiveDoubleDevice final : public Device, DeviceMemory {
 public:
  NaiveDoubleDevice() {
    facts_.name = "naive double";
    facts_.precisions = {"fp32"};
  }
  const DeviceFacts& facts() const override { return facts_; }
  DeviceMemory& memory() override { return *this; }
  std::unique_ptr<Stream> create_stream() override { return std::make_unique<NoStream>(); }
  std::unique_ptr<Event> create_event() override { return std::make_unique<NoEvent>(); }
  DeviceMath& math() override { return math_; }

 private:
  struct NoStream final : Stream {
    void copy_to_device(std::byte* to, std::span<const std::byte> from, HostMemory) override {
      std::copy(from.begin(), from.end(), to);
    }
    void record(Event&) override {}
    void wait(const Event&) override {}
  };
  struct NoEvent final : Event {
    bool done() const override { return true; }
    Nanoseconds synchronize() override { return Nanoseconds{0}; }
    Nanoseconds time() const override { return Nanoseconds{0}; }
  };

  DeviceBuffer allocate(std::size_t bytes) override {
    auto block = std::make_shared<std::vector<double>>((bytes + sizeof(double) - 1) / sizeof(double));
    return {reinterpret_cast<std::byte*>(block->data()), bytes, [block](std::byte*, std::size_t) {}};
  }
  std::uint64_t used_bytes() const override { return 0; }
  std::uint64_t peak_bytes() const override { return 0; }
  std::uint64_t limit_bytes() const override { return 0; }
  PinnedRange pin(std::span<std::byte>) override { return {}; }
  std::shared_ptr<HostAllocator> host(HostMemory) override { return nullptr; }

  DeviceFacts facts_;
  NaiveDoubleMath math_;
};

}  // namespace feedtune
