#include "device/cpu/cpu_math.hpp"

#include <dnnl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "device/cpu/cpu_functions.hpp"
#include "device/cpu/cpu_parallel.hpp"
#include "device/cpu/cpu_tensor.hpp"

namespace feedtune {
using namespace cpu;

std::size_t CpuMath::element_bytes(Element element) const {
  switch (element) {
    case Element::u8: return 1;
    case Element::f16:
    case Element::bf16: return 2;
    case Element::f32: break;
  }
  return 4;
}

void CpuMath::gemm(Stream&, const Gemm& gemm) {
  if (gemm.precision != Precision::fp32)
    throw TrialFailure(TrialStatus::unsupported,
                       fmt::format("the cpu device computes in fp32 only, not in {}", to_text(gemm.precision)));
  assert(holds(gemm.a, gemm.m, gemm.k) && holds(gemm.b, gemm.k, gemm.n) && holds(gemm.c, gemm.m, gemm.n));
  const ThreadScope scope(threads_);
  const dnnl_status_t status =
      dnnl_sgemm(gemm.transpose_a ? 'T' : 'N', gemm.transpose_b ? 'T' : 'N', gemm.m, gemm.n, gemm.k, 1.0f,
                 floats(gemm.a), gemm.transpose_a ? gemm.m : gemm.k, floats(gemm.b),
                 gemm.transpose_b ? gemm.k : gemm.n, gemm.accumulate ? 1.0f : 0.0f, floats(gemm.c), gemm.n);
  // Its scratch memory is all that a checked product can lack.
  if (status == dnnl_out_of_memory) throw OutOfMemory(MemoryKind::host, gemm.c.count * sizeof(float), 0);
  if (status != dnnl_success)
    throw TrialFailure(TrialStatus::crashed, fmt::format("oneDNN's sgemm failed with status {}", static_cast<int>(status)));
}

void CpuMath::mean_pool(Stream&, const Tensor& x, const Tensor& pooled, std::int64_t batch, std::int64_t tokens,
                        std::int64_t channels) {
  assert(holds(x, batch * tokens, channels) && holds(pooled, batch, channels));
  const float* from = floats(x);
  float* to = floats(pooled);
  const float scale = 1.0f / static_cast<float>(tokens);
  const auto body = [=](std::int64_t begin, std::int64_t end, int) FEEDTUNE_INLINE {
    for (std::int64_t b = begin; b < end; ++b) {
      float* sum = to + b * channels;
      std::fill(sum, sum + channels, 0.0f);
      for (std::int64_t t = 0; t < tokens; ++t) {
        const float* row = from + (b * tokens + t) * channels;
#pragma omp simd
        for (std::int64_t c = 0; c < channels; ++c) sum[c] += row[c];
      }
#pragma omp simd
      for (std::int64_t c = 0; c < channels; ++c) sum[c] *= scale;
    }
  };
  parallel_rows(batch, parts_of(batch, tokens * channels, threads_), body);
}

void CpuMath::mean_pool_backward(Stream&, const Tensor& pooled_gradient, const Tensor& gradient, std::int64_t batch,
                                 std::int64_t tokens, std::int64_t channels) {
  assert(holds(pooled_gradient, batch, channels) && holds(gradient, batch * tokens, channels));
  const float* from = floats(pooled_gradient);
  float* to = floats(gradient);
  const float scale = 1.0f / static_cast<float>(tokens);
  const auto body = [=](std::int64_t begin, std::int64_t end, int) FEEDTUNE_INLINE {
    for (std::int64_t row = begin; row < end; ++row) {
      const float* pooled = from + row / tokens * channels;
      float* out = to + row * channels;
#pragma omp simd
      for (std::int64_t c = 0; c < channels; ++c) out[c] = pooled[c] * scale;
    }
  };
  parallel_rows(batch * tokens, parts_of(batch * tokens, channels, threads_), body);
}

void CpuMath::softmax_cross_entropy(Stream&, const Tensor& logits, const std::byte* labels, const Tensor& losses,
                                    std::int64_t batch, std::int64_t classes, float loss_scale) {
  assert(holds(logits, batch, classes) && holds(losses, batch, 1) && labels != nullptr);
  float* values = floats(logits);
  float* loss = floats(losses);
  const float scale = loss_scale / static_cast<float>(batch);
  const auto body = [=](std::int64_t begin, std::int64_t end, int) FEEDTUNE_INLINE {
    for (std::int64_t b = begin; b < end; ++b) {
      std::int32_t label = 0;
      std::memcpy(&label, labels + b * static_cast<std::int64_t>(sizeof label), sizeof label);
      assert(label >= 0 && label < classes);
      float* row = values + b * classes;
      const float largest = *std::max_element(row, row + classes);
      const float chosen = row[label] - largest;
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::int64_t c = 0; c < classes; ++c) {
        const float e = exponential(row[c] - largest);
        row[c] = e;
        sum += e;
      }
      loss[b] = std::log(sum) - chosen;
      const float share = scale / sum;
#pragma omp simd
      for (std::int64_t c = 0; c < classes; ++c) row[c] *= share;
      row[label] -= scale;
    }
  };
  parallel_rows(batch, parts_of(batch, classes, threads_), body);
}

void CpuMath::sgd_momentum(Stream&, const Tensor& weights, const Tensor& momentum, const Tensor& gradient,
                           const Tensor& copy, float rate, float mu, float loss_scale) {
  const auto count = static_cast<std::int64_t>(weights.count);
  assert(holds(weights, count, 1) && holds(momentum, count, 1) && holds(gradient, count, 1) && may_hold(copy, count, 1));
  float* w = floats(weights);
  float* v = floats(momentum);
  const float* g = floats(gradient);
  const float scale = 1.0f / loss_scale;
  const auto body = [=](std::int64_t begin, std::int64_t end, int) FEEDTUNE_INLINE {
    const float keep = mu, unscale = scale, speed = rate;  // locals: a capture read under a condition blocks vector code
#pragma omp simd
    for (std::int64_t i = begin; i < end; ++i) {
      const float slope = g[i];
      const float v_now = v[i];
      const float v_next = keep * v_now + slope * unscale;
      const float w_next = w[i] - speed * v_next;
      const bool finite = std::fabs(slope) <= std::numeric_limits<float>::max();
      v[i] = finite ? v_next : v_now;
      w[i] = finite ? w_next : w[i];
    }
  };
  parallel_rows(count, parts_of(count, 1, threads_), body);
  if (copy.address != nullptr) std::memcpy(copy.address, weights.address, weights.count * sizeof(float));
}

void CpuMath::fill_zero(Stream&, const Tensor& tensor) {
  std::memset(tensor.address, 0, tensor.count * element_bytes(tensor.element));
}

void CpuMath::upload(const Tensor& tensor, std::span<const float> values) {
  assert(tensor.count == values.size());
  std::memcpy(floats(tensor), values.data(), values.size_bytes());
}

void CpuMath::download(const Tensor& tensor, std::span<float> values) {
  assert(tensor.count == values.size());
  std::memcpy(values.data(), floats(tensor), values.size_bytes());
}

}  // namespace feedtune
