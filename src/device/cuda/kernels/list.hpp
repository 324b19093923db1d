#pragma once
// Every kernel there is, for those who need one function of each: EACH(kernel) for item kernels, BLOCK(kernel) for block kernels.
// (Commas in a macro's argument need a name, hence the variadic macros.)

#include "device/cuda/kernels/column_sums.hpp"
#include "device/cuda/kernels/cross_entropy.hpp"
#include "device/cuda/kernels/patches.hpp"
#include "device/cuda/kernels/pool.hpp"
#include "device/cuda/kernels/rows.hpp"
#include "device/cuda/kernels/sgd.hpp"
#include "device/cuda/kernels/transpose.hpp"

#define FEEDTUNE_KERNELS_OF_WIDTH(EACH, T, WIDTH) \
  EACH(BiasGelu<T, WIDTH>)                        \
  EACH(BiasResidual<T, WIDTH>)                    \
  EACH(PartialColumnSums<T, WIDTH>)               \
  EACH(GeluBackward<T, WIDTH>)                    \
  EACH(ExtractPatches<std::uint8_t, T, WIDTH>)    \
  EACH(ExtractPatches<float, T, WIDTH>)           \
  EACH(ExtractPatches<Half, T, WIDTH>)            \
  EACH(MeanPool<T, WIDTH>)                        \
  EACH(MeanPoolBackward<T, WIDTH>)                \
  EACH(SgdMomentum<T, WIDTH>)

#define FEEDTUNE_KERNELS_OF(EACH, BLOCK, T) \
  FEEDTUNE_KERNELS_OF_WIDTH(EACH, T, 1)     \
  FEEDTUNE_KERNELS_OF_WIDTH(EACH, T, 4)     \
  BLOCK(Transpose<T>)                       \
  BLOCK(CrossEntropy<T>)

#define FEEDTUNE_ALL_KERNELS(EACH, BLOCK) \
  FEEDTUNE_KERNELS_OF(EACH, BLOCK, float) \
  FEEDTUNE_KERNELS_OF(EACH, BLOCK, Half)  \
  FEEDTUNE_KERNELS_OF(EACH, BLOCK, Brain) \
  BLOCK(ColumnTotals)
