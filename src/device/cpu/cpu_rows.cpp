// Kernels over [rows][columns] matrices with one bias a column, and the transposition.
#include <algorithm>
#include <cassert>
#include <vector>

#include "device/cpu/cpu_functions.hpp"
#include "device/cpu/cpu_math.hpp"
#include "device/cpu/cpu_parallel.hpp"
#include "device/cpu/cpu_tensor.hpp"

namespace feedtune {
using namespace cpu;

namespace {

/// Calls row(r, sums) for every row, each part of them with its own sums, and adds the parts' sums up in their order.
template <class Row>
void sum_columns(std::int64_t rows, std::int64_t columns, int threads, float* total, const Row& row) {
  const int parts = parts_of(rows, columns, threads);
  std::vector<float> partial(static_cast<std::size_t>(parts * columns), 0.0f);
  float* sums = partial.data();
  const auto body = [=, &row](std::int64_t begin, std::int64_t end, int part) FEEDTUNE_INLINE {
    for (std::int64_t r = begin; r < end; ++r) row(r, sums + part * columns);
  };
  parallel_rows(rows, parts, body);
  std::copy(sums, sums + columns, total);
  for (int part = 1; part < parts; ++part)
    for (std::int64_t c = 0; c < columns; ++c) total[c] += sums[part * columns + c];
}

}  // namespace

void CpuMath::bias_gelu(Stream&, const Tensor& pre, const Tensor& bias, const Tensor& out, std::int64_t rows,
                        std::int64_t columns) {
  assert(holds(pre, rows, columns) && holds(bias, 1, columns) && holds(out, rows, columns));
  float* x = floats(pre);
  const float* b = floats(bias);
  float* y = floats(out);
  const auto body = [=](std::int64_t begin, std::int64_t end, int) FEEDTUNE_INLINE {
    for (std::int64_t r = begin; r < end; ++r) {
      float* x_row = x + r * columns;
      float* y_row = y + r * columns;
#pragma omp simd
      for (std::int64_t c = 0; c < columns; ++c) {
        const float value = x_row[c] + b[c];
        x_row[c] = value;
        y_row[c] = gelu(value);
      }
    }
  };
  parallel_rows(rows, parts_of(rows, columns, threads_), body);
}

void CpuMath::bias_gelu_backward(Stream&, const Tensor& pre, const Tensor& gradient, const Tensor& bias_gradient,
                                 std::int64_t rows, std::int64_t columns) {
  assert(holds(pre, rows, columns) && holds(gradient, rows, columns) && holds(bias_gradient, 1, columns));
  const float* x = floats(pre);
  float* g = floats(gradient);
  const auto row = [=](std::int64_t r, float* sums) FEEDTUNE_INLINE {
    const float* x_row = x + r * columns;
    float* g_row = g + r * columns;
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) {
      const float value = g_row[c] * gelu_derivative(x_row[c]);
      g_row[c] = value;
      sums[c] += value;
    }
  };
  sum_columns(rows, columns, threads_, floats(bias_gradient), row);
}

void CpuMath::bias_residual(Stream&, const Tensor& x, const Tensor& bias, const Tensor& residual, const Tensor& out,
                            std::int64_t rows, std::int64_t columns) {
  assert(holds(x, rows, columns) && holds(bias, 1, columns) && may_hold(residual, rows, columns) &&
         holds(out, rows, columns));
  const float* from = floats(x);
  const float* b = floats(bias);
  const float* add = floats(residual);
  float* to = floats(out);
  const auto body = [=](std::int64_t begin, std::int64_t end, int) FEEDTUNE_INLINE {
    for (std::int64_t r = begin; r < end; ++r) {
      const float* x_row = from + r * columns;
      float* out_row = to + r * columns;
      if (add == nullptr) {
#pragma omp simd
        for (std::int64_t c = 0; c < columns; ++c) out_row[c] = x_row[c] + b[c];
      } else {
        const float* add_row = add + r * columns;
#pragma omp simd
        for (std::int64_t c = 0; c < columns; ++c) out_row[c] = add_row[c] + x_row[c] + b[c];
      }
    }
  };
  parallel_rows(rows, parts_of(rows, columns, threads_), body);
}

void CpuMath::bias_backward(Stream&, const Tensor& gradient, const Tensor& bias_gradient, std::int64_t rows,
                            std::int64_t columns) {
  assert(holds(gradient, rows, columns) && holds(bias_gradient, 1, columns));
  const float* g = floats(gradient);
  const auto row = [=](std::int64_t r, float* sums) FEEDTUNE_INLINE {
    const float* g_row = g + r * columns;
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) sums[c] += g_row[c];
  };
  sum_columns(rows, columns, threads_, floats(bias_gradient), row);
}

void CpuMath::transpose(Stream&, const Tensor& x, const Tensor& bias, const Tensor& residual, const Tensor& out,
                        std::int64_t batch, std::int64_t rows, std::int64_t columns) {
  assert(holds(x, batch * rows, columns) && may_hold(bias, 1, columns) && may_hold(residual, batch * rows, columns) &&
         holds(out, batch * rows, columns) && x.address != out.address);
  constexpr std::int64_t tile = 16;  // one cache line of each of 16 rows in, one of each of 16 rows out
  const float* from = floats(x);
  const float* b = floats(bias);
  const float* add = floats(residual);
  float* to = floats(out);
  const std::int64_t strips = (columns + tile - 1) / tile;  // per matrix; a strip's output rows are its own
  const auto body = [=](std::int64_t begin, std::int64_t end, int) FEEDTUNE_INLINE {
    float turned[tile][tile];
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const float* x_matrix = from + unit / strips * rows * columns;
      const std::int64_t out_matrix = unit / strips * rows * columns;
      const std::int64_t c0 = unit % strips * tile;
      const std::int64_t width = std::min(tile, columns - c0);
      for (std::int64_t r0 = 0; r0 < rows; r0 += tile) {
        const std::int64_t height = std::min(tile, rows - r0);
        for (std::int64_t r = 0; r < height; ++r)
          for (std::int64_t c = 0; c < width; ++c) turned[c][r] = x_matrix[(r0 + r) * columns + c0 + c];
        for (std::int64_t c = 0; c < width; ++c) {
          const std::int64_t at = out_matrix + (c0 + c) * rows + r0;
          const float shift = b == nullptr ? 0.0f : b[c0 + c];
          if (add == nullptr) {
#pragma omp simd
            for (std::int64_t r = 0; r < height; ++r) to[at + r] = turned[c][r] + shift;
          } else {
#pragma omp simd
            for (std::int64_t r = 0; r < height; ++r) to[at + r] = add[at + r] + turned[c][r] + shift;
          }
        }
      }
    }
  };
  parallel_rows(batch * strips, parts_of(batch * strips, rows * tile, threads_), body);
}

}  // namespace feedtune
