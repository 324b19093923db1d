#pragma once
#include "device/cuda/kernels/kernel.hpp"

namespace feedtune::cuda {

/// For each of a batch: out[c][r] = x[r][c] + bias[c] + residual[c][r]; bias and residual may be null. Block: a tile of 32 x 32
/// through shared memory, so that reads and writes both go along rows. Blocks: batch * row tiles * column tiles.
template <class T>
struct Transpose {
  static constexpr int tile = 32, lanes = 8;
  // One float more a row: a column of the tile then lies in 32 different banks.
  static constexpr int threads = tile * lanes, phases = 2, shared_floats = tile * (tile + 1);
  const T* x;
  const float* bias;
  const T* residual;
  T* out;
  std::int64_t rows, columns;
  static FEEDTUNE_KERNEL std::int64_t tiles(std::int64_t count) { return (count + tile - 1) / tile; }
  template <int Phase>
  FEEDTUNE_KERNEL void run(std::int64_t block, int thread, float* shared) const {
    const std::int64_t across = tiles(columns), down = tiles(rows);
    const std::int64_t matrix = block / (across * down) * rows * columns;
    const std::int64_t r0 = block / across % down * tile, c0 = block % across * tile;
    const int fast = thread % tile;
    for (int slow = thread / tile; slow < tile; slow += lanes) {
      if (Phase == 0) {
        const std::int64_t r = r0 + slow, c = c0 + fast;
        if (r < rows && c < columns) shared[slow * (tile + 1) + fast] = widen(x[matrix + r * columns + c]);
      } else {
        const std::int64_t c = c0 + slow, r = r0 + fast;
        if (r < rows && c < columns) {
          const std::int64_t to = matrix + c * rows + r;
          float value = shared[fast * (tile + 1) + slow];
          if (bias != nullptr) value += bias[c];
          if (residual != nullptr) value += widen(residual[to]);
          out[to] = narrow<T>(value);
        }
      }
    }
  }
};

}  // namespace feedtune::cuda
