#pragma once
#include <cmath>

#include "device/cuda/kernels/kernel.hpp"

namespace feedtune::cuda {

/// Block: one image. logits [batch][classes] become scale * (softmax - one-hot); losses[b] is its cross-entropy.
template <class T>
struct CrossEntropy {
  static constexpr int threads = 256, phases = 3, shared_floats = 2 * threads + 1;
  T* logits;
  const std::int32_t* labels;
  float* losses;
  std::int64_t classes;
  float scale;
  template <int Phase>
  FEEDTUNE_KERNEL void run(std::int64_t block, int thread, float* shared) const {
    T* row = logits + block * classes;
    float* largest = shared;
    float* sums = shared + threads;
    float& chosen = shared[2 * threads];
    if (Phase == 0) {
      float most = -INFINITY;
      for (std::int64_t c = thread; c < classes; c += threads) most = fmaxf(most, widen(row[c]));
      largest[thread] = most;
      if (thread == 0) chosen = widen(row[labels[block]]);
      return;
    }
    float most = largest[0];
    for (int k = 1; k < threads; ++k) most = fmaxf(most, largest[k]);
    if (Phase == 1) {
      float sum = 0;
      for (std::int64_t c = thread; c < classes; c += threads) sum += expf(widen(row[c]) - most);
      sums[thread] = sum;
    } else {
      float sum = 0;
      for (int k = 0; k < threads; ++k) sum += sums[k];
      for (std::int64_t c = thread; c < classes; c += threads) {
        const float share = expf(widen(row[c]) - most) / sum;
        row[c] = narrow<T>(scale * (c == labels[block] ? share - 1.0f : share));
      }
      if (thread == 0) losses[block] = logf(sum) + most - chosen;
    }
  }
};

}  // namespace feedtune::cuda
