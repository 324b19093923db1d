#pragma once
// How kernels are written: as functors whose members are plain pointers and sizes, so that one text runs on a GPU and, in tests,
// on the CPU. Two forms:
//   item:  void operator()(std::int64_t item) const; items are independent of one another.
//   block: `threads` threads share `shared_floats` floats and take `phases` steps together; no thread begins step p + 1 before
//          all have ended step p. template <int Phase> void run(std::int64_t block, int thread, float* shared) const.
// Nothing here needs nvcc; launch.hpp starts them.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#ifdef __CUDACC__
#define FEEDTUNE_KERNEL __host__ __device__ __forceinline__
#else
#define FEEDTUNE_KERNEL inline
#endif

namespace feedtune::cuda {

using Half = __half;
using Brain = __nv_bfloat16;

FEEDTUNE_KERNEL float widen(float x) { return x; }
FEEDTUNE_KERNEL float widen(Half x) { return __half2float(x); }
FEEDTUNE_KERNEL float widen(Brain x) { return __bfloat162float(x); }

template <class T>
FEEDTUNE_KERNEL T narrow(float x);
template <>
FEEDTUNE_KERNEL float narrow<float>(float x) { return x; }
template <>
FEEDTUNE_KERNEL Half narrow<Half>(float x) { return __float2half_rn(x); }
template <>
FEEDTUNE_KERNEL Brain narrow<Brain>(float x) { return __float2bfloat16_rn(x); }

/// `Width` neighbouring values, read and written in one access; their address is a multiple of their size.
template <class T, int Width>
struct alignas(sizeof(T) * Width) Pack {
  T value[Width];
};

template <int Width, class T>
FEEDTUNE_KERNEL void load(const T* from, std::int64_t pack, float (&to)[Width]) {
  const auto packed = reinterpret_cast<const Pack<T, Width>*>(from)[pack];
  for (int k = 0; k < Width; ++k) to[k] = widen(packed.value[k]);
}

template <int Width, class T>
FEEDTUNE_KERNEL void store(T* to, std::int64_t pack, const float (&from)[Width]) {
  Pack<T, Width> packed;
  for (int k = 0; k < Width; ++k) packed.value[k] = narrow<T>(from[k]);
  reinterpret_cast<Pack<T, Width>*>(to)[pack] = packed;
}

}  // namespace feedtune::cuda
