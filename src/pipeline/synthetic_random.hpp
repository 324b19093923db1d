#pragma once
// Random numbers of the synthetic pictures: integers only, so that every machine and compiler draws the same ones.

#include <cstdint>

#include "pipeline/hash.hpp"

namespace feedtune {

/// Fixed point with 16 fractional bits; constants are converted by the compiler, so no machine's floating point counts.
using Q16 = std::int32_t;
consteval Q16 q16(double value) { return static_cast<Q16>(value * 65536 + (value < 0 ? -0.5 : 0.5)); }

/// 2^exponent, both Q16, for exponents in (-16, 15). Truncated product of tabulated powers: relative error under 2^-14.
constexpr Q16 exp2_q16(Q16 exponent) {
  // 2^(1/2), 2^(1/4), ... in Q30.
  constexpr std::uint32_t roots[] = {1518500250, 1276901417, 1170923762, 1121280436, 1097253708, 1085434106,
                                     1079572136, 1076653033, 1075196443, 1074468888, 1074105294, 1073923544,
                                     1073832680, 1073787251, 1073764537, 1073753181};
  const std::int32_t whole = exponent >> 16;
  std::uint64_t product = std::uint64_t{1} << 30;
  for (int bit = 0; bit < 16; ++bit)
    if ((exponent >> (15 - bit)) & 1) product = (product * roots[bit]) >> 30;
  const int shift = 14 - whole;
  return static_cast<Q16>(shift >= 0 ? product >> shift : product << -shift);
}

/// SplitMix64 (Steele, Lea, Flood 2014): passes BigCrush, and any value is a good seed.
class SyntheticRandom {
 public:
  explicit SyntheticRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    const std::uint64_t value = mix64(state_);
    state_ += 0x9e3779b97f4a7c15u;
    return value;
  }
  /// Uniform in [0, bound); the bias is below bound / 2^32.
  int below(int bound) { return static_cast<int>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32); }
  /// Uniform in [low, high].
  int between(int low, int high) { return low + below(high - low + 1); }
  /// Mean 0, standard deviation 1, never beyond 6: the sum of 12 uniform numbers.
  Q16 normal() {
    std::int32_t sum = 0;
    for (int word = 0; word < 3; ++word) {
      const std::uint64_t bits = next();
      for (int part = 0; part < 4; ++part) sum += static_cast<std::int32_t>((bits >> (16 * part)) & 0xFFFF);
    }
    return sum - 6 * 65536;
  }

 private:
  std::uint64_t state_;
};

}  // namespace feedtune
