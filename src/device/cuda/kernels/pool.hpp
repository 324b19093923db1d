#pragma once
#include "device/cuda/kernels/kernel.hpp"

namespace feedtune::cuda {

/// Item: image * packs + pack of channels. pooled[b][c] = mean over t of x[b][t][c].
template <class T, int Width>
struct MeanPool {
  const T* x;
  T* pooled;
  std::int64_t tokens, packs;
  FEEDTUNE_KERNEL void operator()(std::int64_t item) const {
    const std::int64_t image = item / packs, pack = item % packs;
    float sum[Width] = {};
    for (std::int64_t t = 0; t < tokens; ++t) {
      float value[Width];
      load<Width>(x, (image * tokens + t) * packs + pack, value);
      for (int k = 0; k < Width; ++k) sum[k] += value[k];
    }
    for (int k = 0; k < Width; ++k) sum[k] /= static_cast<float>(tokens);
    store<Width>(pooled, item, sum);
  }
};

/// Item: (image * tokens + token) * packs + pack.
template <class T, int Width>
struct MeanPoolBackward {
  const T* pooled_gradient;
  T* gradient;
  std::int64_t tokens, packs;
  FEEDTUNE_KERNEL void operator()(std::int64_t item) const {
    float value[Width];
    load<Width>(pooled_gradient, item / (tokens * packs) * packs + item % packs, value);
    for (int k = 0; k < Width; ++k) value[k] /= static_cast<float>(tokens);
    store<Width>(gradient, item, value);
  }
};

}  // namespace feedtune::cuda
