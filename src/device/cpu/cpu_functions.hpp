#pragma once
// Scalar functions of the kernels, without branches so that loops over them become vector code.

#include <bit>
#include <cstdint>

#include "device/cpu/cpu_parallel.hpp"

namespace feedtune::cpu {

/// e^x, relative error below 3e-7; x is clamped to [-87, 87]. Cody and Waite's reduction to |r| <= ln(2)/2, then
/// the Taylor polynomial of degree 7 (its next term is below 6e-9).
FEEDTUNE_INLINE inline float exponential(float x) {
  x = x < -87.0f ? -87.0f : x;
  x = x > 87.0f ? 87.0f : x;
  constexpr float round_shift = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer in the low mantissa bits
  const float shifted = x * 1.44269504f + round_shift;
  const float n = shifted - round_shift;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) << 23;  // n, moved to the exponent's place
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) + exponent);
}

/// GELU's tanh form is x * sigmoid(2 u) with u = sqrt(2/pi) (x + 0.044715 x^3) (Hendrycks and Gimpel, 2016).
inline constexpr float gelu_linear = 1.5957691216f;   // 2 sqrt(2/pi)
inline constexpr float gelu_cubic = 0.0713548163f;    // 2 sqrt(2/pi) * 0.044715

FEEDTUNE_INLINE inline float gelu(float x) {
  return x / (1.0f + exponential(-x * (gelu_linear + gelu_cubic * x * x)));
}

FEEDTUNE_INLINE inline float gelu_derivative(float x) {
  const float square = x * x;
  const float s = 1.0f / (1.0f + exponential(-x * (gelu_linear + gelu_cubic * square)));
  return s + x * s * (1.0f - s) * (gelu_linear + 3.0f * gelu_cubic * square);
}

/// IEEE half precision to float, exact, infinities and NaN included.
FEEDTUNE_INLINE inline float from_half(std::uint16_t half) {
  const std::uint32_t magnitude = (half & 0x7fffu) << 13;
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;  // re-biases the exponent; right for subnormals too
  const std::uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

}  // namespace feedtune::cpu
