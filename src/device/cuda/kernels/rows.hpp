#pragma once
// Kernels over [rows][columns] with one bias a column; an item is a pack of `Width` columns of one row.

#include <cmath>

#include "device/cuda/kernels/kernel.hpp"

namespace feedtune::cuda {

// GELU's tanh form is x * sigmoid(2 u) with u = sqrt(2/pi) (x + 0.044715 x^3) (Hendrycks and Gimpel, 2016).
constexpr float gelu_linear = 1.5957691216f;  // 2 sqrt(2/pi)
constexpr float gelu_cubic = 0.0713548163f;   // 2 sqrt(2/pi) * 0.044715

FEEDTUNE_KERNEL float gelu(float x) { return x / (1.0f + expf(-x * (gelu_linear + gelu_cubic * x * x))); }

FEEDTUNE_KERNEL float gelu_derivative(float x) {
  const float square = x * x;
  const float s = 1.0f / (1.0f + expf(-x * (gelu_linear + gelu_cubic * square)));
  return s + x * s * (1.0f - s) * (gelu_linear + 3.0f * gelu_cubic * square);
}

template <class T, int Width>
struct BiasGelu {
  T* pre;
  const float* bias;
  T* out;
  std::int64_t packs_a_row;
  FEEDTUNE_KERNEL void operator()(std::int64_t pack) const {
    float x[Width], b[Width], y[Width];
    load<Width>(pre, pack, x);
    load<Width>(bias, pack % packs_a_row, b);
    for (int k = 0; k < Width; ++k) {
      // Rounded as it is kept, so that the gradient is that of what was computed.
      x[k] = widen(narrow<T>(x[k] + b[k]));
      y[k] = gelu(x[k]);
    }
    store<Width>(pre, pack, x);
    store<Width>(out, pack, y);
  }
};

/// `residual` may be null.
template <class T, int Width>
struct BiasResidual {
  const T* x;
  const float* bias;
  const T* residual;
  T* out;
  std::int64_t packs_a_row;
  FEEDTUNE_KERNEL void operator()(std::int64_t pack) const {
    float sum[Width], b[Width];
    load<Width>(x, pack, sum);
    load<Width>(bias, pack % packs_a_row, b);
    for (int k = 0; k < Width; ++k) sum[k] += b[k];
    if (residual != nullptr) {
      float more[Width];
      load<Width>(residual, pack, more);
      for (int k = 0; k < Width; ++k) sum[k] += more[k];
    }
    store<Width>(out, pack, sum);
  }
};

}  // namespace feedtune::cuda
