#pragma once
#include <cmath>

#include "device/cuda/kernels/kernel.hpp"

namespace feedtune::cuda {

/// momentum = mu * momentum + gradient / loss scale; weights -= rate * momentum; `copy` (may be null) gets the weights in the
/// compute element. What has no finite gradient stays.
template <class T, int Width>
struct SgdMomentum {
  float* weights;
  float* momentum;
  const float* gradient;
  T* copy;
  float rate, mu, unscale;
  FEEDTUNE_KERNEL void operator()(std::int64_t pack) const {
    float w[Width], v[Width], g[Width];
    load<Width>(weights, pack, w);
    load<Width>(momentum, pack, v);
    load<Width>(gradient, pack, g);
    for (int k = 0; k < Width; ++k) {
      if (!(fabsf(g[k]) <= 3.402823466e+38f)) continue;
      v[k] = mu * v[k] + g[k] * unscale;
      w[k] -= rate * v[k];
    }
    store<Width>(weights, pack, w);
    store<Width>(momentum, pack, v);
    if (copy != nullptr) store<Width>(copy, pack, w);
  }
};

}  // namespace feedtune::cuda
