#include "device/cuda/cuda_math.hpp"

#include <algorithm>
#include <cassert>
#include <type_traits>
#include <vector>

#include "device/cuda/cuda_error.hpp"
#include "device/cuda/kernels/launch.hpp"
#include "device/cuda/kernels/list.hpp"

namespace feedtune::cuda {
namespace {

constexpr std::int64_t sum_floats = 1 << 20;
constexpr std::int64_t most_chunks = 256;

cudaStream_t raw(Stream& stream) { return dynamic_cast<CudaStream&>(stream).get(); }

template <class T>
T* values(const Tensor& tensor) {
  return reinterpret_cast<T*>(tensor.address);
}

[[maybe_unused]] bool holds(const Tensor& tensor, std::int64_t rows, std::int64_t columns) {
  return tensor.address != nullptr && static_cast<std::int64_t>(tensor.count) == rows * columns;
}

/// Calls f with the C++ type of an activation.
template <class F>
void with_type(Element element, const F& f) {
  switch (element) {
    case Element::f32: return f(std::type_identity<float>{});
    case Element::f16: return f(std::type_identity<Half>{});
    case Element::bf16: return f(std::type_identity<Brain>{});
    case Element::u8: break;
  }
  assert(false && "no activation type");
}

/// And with the width of its packs: rows must be whole packs, and so lie on their addresses (allocations are 256-byte aligned,
/// the model's tensors in them too).
template <class F>
void with_packs(Element element, std::int64_t columns, const F& f) {
  with_type(element, [&](auto type) {
    if (columns % 4 == 0) f(type, std::integral_constant<int, 4>{});
    else f(type, std::integral_constant<int, 1>{});
  });
}

cudaDataType_t data_type(Element element) {
  switch (element) {
    case Element::f16: return CUDA_R_16F;
    case Element::bf16: return CUDA_R_16BF;
    case Element::u8:
    case Element::f32: break;
  }
  return CUDA_R_32F;
}

template <class Kernel>
void items(const Kernel& kernel, std::int64_t count, cudaStream_t stream, const char* name) {
  check(launch_items(kernel, count, stream), name);
}

template <class Kernel>
void blocks(const Kernel& kernel, std::int64_t count, cudaStream_t stream, const char* name) {
  check(launch_blocks(kernel, count, stream), name);
}

}  // namespace

CudaMath::CudaMath(int compute_major) : sums_(take(sum_floats * sizeof(float), "taking scratch memory")) {
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "starting cuBLAS");
  cublas_.reset(handle);
  // The sizes that cuBLAS's manual asks for: 32 MiB from Hopper on, 4 MiB before.
  workspace_bytes_ = (compute_major >= 9 ? std::size_t{32} : std::size_t{4}) << 20;
  workspace_ = take(workspace_bytes_, "taking cuBLAS's workspace");
  check(cublasSetMathMode(handle, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
        "setting cuBLAS's mode");
}

CudaMath::Scratch CudaMath::take(std::size_t bytes, const char* what) {
  void* address = nullptr;
  check_allocation(cudaMalloc(&address, bytes), bytes, what);
  return Scratch(address);
}

void CudaMath::use(cudaStream_t stream) {
  if (stream == in_use_) return;
  check(cublasSetStream(cublas_.get(), stream), "choosing cuBLAS's stream");
  // Choosing a stream puts cuBLAS back to memory of its own.
  check(cublasSetWorkspace(cublas_.get(), workspace_.get(), workspace_bytes_), "handing cuBLAS its workspace");
  in_use_ = stream;
}

std::size_t CudaMath::element_bytes(Element element) const {
  switch (element) {
    case Element::u8: return 1;
    case Element::f16:
    case Element::bf16: return 2;
    case Element::f32: break;
  }
  return 4;
}

void CudaMath::gemm(Stream& stream, const Gemm& gemm) {
  assert(holds(gemm.a, gemm.m, gemm.k) && holds(gemm.b, gemm.k, gemm.n) && holds(gemm.c, gemm.m, gemm.n));
  use(raw(stream));
  const float one = 1, beta = gemm.accumulate ? 1 : 0;
  const auto compute = gemm.precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  const auto transposed = [](bool yes) { return yes ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const int m = static_cast<int>(gemm.m), n = static_cast<int>(gemm.n), k = static_cast<int>(gemm.k);
  // Row-major C = op(A) op(B) is column-major C^T = op(B)^T op(A)^T, with the operands as they lie.
  check(cublasGemmEx(cublas_.get(), transposed(gemm.transpose_b), transposed(gemm.transpose_a), n, m, k, &one, gemm.b.address,
                     data_type(gemm.b.element), gemm.transpose_b ? k : n, gemm.a.address, data_type(gemm.a.element),
                     gemm.transpose_a ? m : k, &beta, gemm.c.address, data_type(gemm.c.element), n, compute, CUBLAS_GEMM_DEFAULT),
        "a GEMM");
}

void CudaMath::extract_patches(Stream& stream, const Tensor& input, const Tensor& patches, [[maybe_unused]] std::int64_t batch, int side,
                               int patch) {
  [[maybe_unused]] const std::int64_t across = side / patch;
  assert(holds(input, batch * 3 * side, side) && holds(patches, batch * across * across, 3 * patch * patch));
  with_packs(patches.element, patch, [&](auto out, auto width) {
    const auto run = [&](auto in) {
      using In = typename decltype(in)::type;
      using Out = typename decltype(out)::type;
      items(ExtractPatches<In, Out, width()>{values<const In>(input), values<Out>(patches), side, patch},
            static_cast<std::int64_t>(patches.count) / width(), raw(stream), "extract_patches");
    };
    if (input.element == Element::u8) run(std::type_identity<std::uint8_t>{});
    else if (input.element == Element::f16) run(std::type_identity<Half>{});
    else run(std::type_identity<float>{});
  });
}

void CudaMath::bias_gelu(Stream& stream, const Tensor& pre, const Tensor& bias, const Tensor& out, std::int64_t rows,
                         std::int64_t columns) {
  assert(holds(pre, rows, columns) && holds(bias, 1, columns) && holds(out, rows, columns));
  with_packs(pre.element, columns, [&](auto type, auto width) {
    using T = typename decltype(type)::type;
    items(BiasGelu<T, width()>{values<T>(pre), values<float>(bias), values<T>(out), columns / width()}, rows * columns / width(),
          raw(stream), "bias_gelu");
  });
}

void CudaMath::bias_residual(Stream& stream, const Tensor& x, const Tensor& bias, const Tensor& residual, const Tensor& out,
                             std::int64_t rows, std::int64_t columns) {
  assert(holds(x, rows, columns) && holds(bias, 1, columns) && holds(out, rows, columns));
  with_packs(x.element, columns, [&](auto type, auto width) {
    using T = typename decltype(type)::type;
    items(BiasResidual<T, width()>{values<T>(x), values<float>(bias), values<T>(residual), values<T>(out), columns / width()},
          rows * columns / width(), raw(stream), "bias_residual");
  });
}

CudaMath::Chunks CudaMath::chunks_of(std::int64_t rows, std::int64_t columns) {
  assert(columns <= sum_floats);
  const std::int64_t most = std::min({rows, most_chunks, sum_floats / columns});
  const std::int64_t each = (rows + most - 1) / most;
  return {(rows + each - 1) / each, each};
}

void CudaMath::total(cudaStream_t stream, const Tensor& totals, std::int64_t chunks, std::int64_t columns) {
  assert(holds(totals, 1, columns));
  blocks(ColumnTotals{static_cast<const float*>(sums_.get()), values<float>(totals), chunks, columns},
         (columns + ColumnTotals::width - 1) / ColumnTotals::width, stream, "column totals");
}

void CudaMath::bias_gelu_backward(Stream& stream, const Tensor& pre, const Tensor& gradient, const Tensor& bias_gradient,
                                  std::int64_t rows, std::int64_t columns) {
  assert(holds(pre, rows, columns) && holds(gradient, rows, columns));
  const Chunks chunks = chunks_of(rows, columns);
  with_packs(pre.element, columns, [&](auto type, auto width) {
    using T = typename decltype(type)::type;
    items(GeluBackward<T, width()>{values<T>(pre), values<T>(gradient), static_cast<float*>(sums_.get()), rows, columns / width(),
                                   chunks.rows},
          chunks.count * columns / width(), raw(stream), "bias_gelu_backward");
  });
  total(raw(stream), bias_gradient, chunks.count, columns);
}

void CudaMath::bias_backward(Stream& stream, const Tensor& gradient, const Tensor& bias_gradient, std::int64_t rows,
                             std::int64_t columns) {
  assert(holds(gradient, rows, columns));
  const Chunks chunks = chunks_of(rows, columns);
  with_packs(gradient.element, columns, [&](auto type, auto width) {
    using T = typename decltype(type)::type;
    items(PartialColumnSums<T, width()>{values<T>(gradient), static_cast<float*>(sums_.get()), rows, columns / width(), chunks.rows},
          chunks.count * columns / width(), raw(stream), "bias_backward");
  });
  total(raw(stream), bias_gradient, chunks.count, columns);
}

void CudaMath::transpose(Stream& stream, const Tensor& x, const Tensor& bias, const Tensor& residual, const Tensor& out,
                         std::int64_t batch, std::int64_t rows, std::int64_t columns) {
  assert(holds(x, batch * rows, columns) && holds(out, batch * rows, columns) && x.address != out.address);
  with_type(x.element, [&](auto type) {
    using Kernel = Transpose<typename decltype(type)::type>;
    using T = typename decltype(type)::type;
    blocks(Kernel{values<T>(x), values<float>(bias), values<T>(residual), values<T>(out), rows, columns},
           batch * Kernel::tiles(rows) * Kernel::tiles(columns), raw(stream), "transpose");
  });
}

void CudaMath::mean_pool(Stream& stream, const Tensor& x, const Tensor& pooled, std::int64_t batch, std::int64_t tokens,
                         std::int64_t channels) {
  assert(holds(x, batch * tokens, channels) && holds(pooled, batch, channels));
  with_packs(x.element, channels, [&](auto type, auto width) {
    using T = typename decltype(type)::type;
    items(MeanPool<T, width()>{values<T>(x), values<T>(pooled), tokens, channels / width()}, batch * channels / width(), raw(stream),
          "mean_pool");
  });
}

void CudaMath::mean_pool_backward(Stream& stream, const Tensor& pooled_gradient, const Tensor& gradient, std::int64_t batch,
                                  std::int64_t tokens, std::int64_t channels) {
  assert(holds(pooled_gradient, batch, channels) && holds(gradient, batch * tokens, channels));
  with_packs(gradient.element, channels, [&](auto type, auto width) {
    using T = typename decltype(type)::type;
    items(MeanPoolBackward<T, width()>{values<T>(pooled_gradient), values<T>(gradient), tokens, channels / width()},
          batch * tokens * channels / width(), raw(stream), "mean_pool_backward");
  });
}

void CudaMath::softmax_cross_entropy(Stream& stream, const Tensor& logits, const std::byte* labels, const Tensor& losses,
                                     std::int64_t batch, std::int64_t classes, float loss_scale) {
  assert(holds(logits, batch, classes) && holds(losses, batch, 1) && labels != nullptr);
  with_type(logits.element, [&](auto type) {
    using T = typename decltype(type)::type;
    blocks(CrossEntropy<T>{values<T>(logits), reinterpret_cast<const std::int32_t*>(labels), values<float>(losses), classes,
                           loss_scale / static_cast<float>(batch)},
           batch, raw(stream), "softmax_cross_entropy");
  });
}

void CudaMath::sgd_momentum(Stream& stream, const Tensor& weights, const Tensor& momentum, const Tensor& gradient, const Tensor& copy,
                            float rate, float mu, float loss_scale) {
  const auto count = static_cast<std::int64_t>(weights.count);
  assert(holds(weights, count, 1) && holds(momentum, count, 1) && holds(gradient, count, 1));
  with_packs(copy.address == nullptr ? Element::f32 : copy.element, count, [&](auto type, auto width) {
    using T = typename decltype(type)::type;
    items(SgdMomentum<T, width()>{values<float>(weights), values<float>(momentum), values<float>(gradient), values<T>(copy), rate, mu,
                                  1.0f / loss_scale},
          count / width(), raw(stream), "sgd_momentum");
  });
}

void CudaMath::fill_zero(Stream& stream, const Tensor& tensor) {
  check(cudaMemsetAsync(tensor.address, 0, tensor.count * element_bytes(tensor.element), raw(stream)), "filling with zeros");
}

void CudaMath::upload(const Tensor& tensor, std::span<const float> from) {
  assert(tensor.count == from.size() && tensor.element != Element::u8);
  with_type(tensor.element, [&](auto type) {
    using T = typename decltype(type)::type;
    std::vector<T> converted(from.size());
    std::ranges::transform(from, converted.begin(), [](float x) { return narrow<T>(x); });
    check(cudaDeviceSynchronize(), "waiting for the device");
    check(cudaMemcpy(tensor.address, converted.data(), converted.size() * sizeof(T), cudaMemcpyHostToDevice), "uploading");
    check(cudaDeviceSynchronize(), "uploading");
  });
}

void CudaMath::download(const Tensor& tensor, std::span<float> to) {
  assert(tensor.count == to.size() && tensor.element != Element::u8);
  with_type(tensor.element, [&](auto type) {
    using T = typename decltype(type)::type;
    std::vector<T> converted(to.size());
    check(cudaDeviceSynchronize(), "waiting for the device");
    check(cudaMemcpy(converted.data(), tensor.address, converted.size() * sizeof(T), cudaMemcpyDeviceToHost), "downloading");
    std::ranges::transform(converted, to.begin(), [](T x) { return widen(x); });
  });
}

}  // namespace feedtune::cuda
