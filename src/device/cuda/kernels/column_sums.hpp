#pragma once
// Sums over the rows of [rows][columns], in two passes so that many threads share a column and the order of additions is
// always the same: each chunk of rows gives one row of partial sums, then the chunks are added up.

#include "device/cuda/kernels/rows.hpp"

namespace feedtune::cuda {

/// Item: chunk * packs_a_row + pack of columns. partial: [chunks][columns].
template <class T, int Width>
struct PartialColumnSums {
  const T* values;
  float* partial;
  std::int64_t rows, packs_a_row, rows_a_chunk;
  FEEDTUNE_KERNEL void operator()(std::int64_t item) const {
    const std::int64_t pack = item % packs_a_row;
    const std::int64_t begin = item / packs_a_row * rows_a_chunk;
    const std::int64_t end = begin + rows_a_chunk < rows ? begin + rows_a_chunk : rows;
    float sum[Width] = {};
    for (std::int64_t row = begin; row < end; ++row) {
      float x[Width];
      load<Width>(values, row * packs_a_row + pack, x);
      for (int k = 0; k < Width; ++k) sum[k] += x[k];
    }
    store<Width>(partial, item, sum);
  }
};

/// The same over gradient * GELU'(pre), which replaces the gradient.
template <class T, int Width>
struct GeluBackward {
  const T* pre;
  T* gradient;
  float* partial;
  std::int64_t rows, packs_a_row, rows_a_chunk;
  FEEDTUNE_KERNEL void operator()(std::int64_t item) const {
    const std::int64_t pack = item % packs_a_row;
    const std::int64_t begin = item / packs_a_row * rows_a_chunk;
    const std::int64_t end = begin + rows_a_chunk < rows ? begin + rows_a_chunk : rows;
    float sum[Width] = {};
    for (std::int64_t row = begin; row < end; ++row) {
      float x[Width], g[Width];
      load<Width>(pre, row * packs_a_row + pack, x);
      load<Width>(gradient, row * packs_a_row + pack, g);
      for (int k = 0; k < Width; ++k) {
        g[k] *= gelu_derivative(x[k]);
        sum[k] += g[k];
      }
      store<Width>(gradient, row * packs_a_row + pack, g);
    }
    store<Width>(partial, item, sum);
  }
};

/// Block: 32 columns. totals[c] = the sum of partial[chunk][c].
struct ColumnTotals {
  static constexpr int width = 32, lanes = 8;
  static constexpr int threads = width * lanes, phases = 2, shared_floats = threads;
  const float* partial;
  float* totals;
  std::int64_t chunks, columns;
  template <int Phase>
  FEEDTUNE_KERNEL void run(std::int64_t block, int thread, float* shared) const {
    const std::int64_t column = block * width + thread % width;
    if (Phase == 0) {
      float sum = 0;
      if (column < columns)
        for (std::int64_t chunk = thread / width; chunk < chunks; chunk += lanes) sum += partial[chunk * columns + column];
      shared[thread] = sum;
    } else if (thread < width && column < columns) {
      float sum = 0;
      for (int lane = 0; lane < lanes; ++lane) sum += shared[lane * width + thread];
      totals[column] = sum;
    }
  }
};

}  // namespace feedtune::cuda
