// Compiled with -O3, for loops that become vector code.
#include "pipeline/resample_kernels.hpp"

#include <cstring>

#include "pipeline/resize_weights.hpp"

// Versions of a function for more than one instruction set, chosen when the program starts. A sanitizer's start-up
// comes after that choice, so there they are left out.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define FEEDTUNE_CLONES __attribute__((target_clones("default", "avx2")))
#else
#define FEEDTUNE_CLONES
#endif

namespace feedtune {
namespace {

constexpr float half = ResizeWeights::weight_sum / 2;
constexpr float unit = 1 / ResizeWeights::weight_sum;  // a power of two: multiplying by it is exact

// Four neighbouring values; GCC and Clang make it one vector register on every machine.
typedef float Pixel __attribute__((vector_size(16)));
typedef std::int32_t WholePixel __attribute__((vector_size(16)));

inline Pixel load(const float* values) {
  Pixel pixel;
  std::memcpy(&pixel, values, sizeof pixel);
  return pixel;
}

template <int n>
inline __attribute__((always_inline)) void blend_block(const std::uint8_t* const* rows, const float* weights, int count,
                                                       int at, float* out) {
  float sums[n];
  for (int i = 0; i < n; ++i) sums[i] = half;
  for (int k = 0; k < count; ++k) {
    const std::uint8_t* row = rows[k] + at;
    const float weight = weights[k];
    for (int i = 0; i < n; ++i) sums[i] += weight * static_cast<float>(row[i]);
  }
  for (int i = 0; i < n; ++i) out[at + i] = static_cast<float>(static_cast<std::int32_t>(sums[i] * unit));
}

}  // namespace

FEEDTUNE_CLONES
void blend_rows(const std::uint8_t* const* rows, const float* weights, int count, int values, float* out) {
  int at = 0;
  for (; at + 32 <= values; at += 32) blend_block<32>(rows, weights, count, at, out);
  for (; at + 8 <= values; at += 8) blend_block<8>(rows, weights, count, at, out);
  for (; at < values; ++at) blend_block<1>(rows, weights, count, at, out);
}

FEEDTUNE_CLONES
void blend_columns(const float* row, const ColumnTaps* taps, int pixels, float* out) {
  for (int x = 0; x < pixels; ++x) {
    const float* input = row + 3 * taps[x].first;
    const float* weights = taps[x].weights;
    Pixel sum = {half, half, half, half};
    for (int k = 0; k < taps[x].count; ++k) sum += weights[k] * load(input + 3 * k);
    const Pixel value = __builtin_convertvector(__builtin_convertvector(sum * unit, WholePixel), Pixel);
    std::memcpy(out + 4 * x, &value, sizeof value);
  }
}

FEEDTUNE_CLONES
void store_uint8(const float* rgbx, int pixels, std::uint8_t* __restrict red, std::uint8_t* __restrict green,
                 std::uint8_t* __restrict blue) {
  for (int x = 0; x < pixels; ++x) {
    red[x] = static_cast<std::uint8_t>(static_cast<std::int32_t>(rgbx[4 * x]));
    green[x] = static_cast<std::uint8_t>(static_cast<std::int32_t>(rgbx[4 * x + 1]));
    blue[x] = static_cast<std::uint8_t>(static_cast<std::int32_t>(rgbx[4 * x + 2]));
  }
}

FEEDTUNE_CLONES
void store_normalised(const float* rgbx, int pixels, float* __restrict red, float* __restrict green,
                      float* __restrict blue) {
  for (int x = 0; x < pixels; ++x) {
    red[x] = (rgbx[4 * x] / 255.0f - channel_mean[0]) / channel_std[0];
    green[x] = (rgbx[4 * x + 1] / 255.0f - channel_mean[1]) / channel_std[1];
    blue[x] = (rgbx[4 * x + 2] / 255.0f - channel_mean[2]) / channel_std[2];
  }
}

}  // namespace feedtune
