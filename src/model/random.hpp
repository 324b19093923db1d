#pragma once
#include <cstdint>

namespace feedtune {

/// Uniform numbers that are the same on every machine and standard library: splitmix64 (Steele, Lea, Flood: "Fast
/// splittable pseudorandom number generators", 2014), scaled.
class UniformNumbers {
 public:
  explicit UniformNumbers(std::uint64_t seed) : state_(seed) {}
  /// Mean 0 and that standard deviation.
  float next(float deviation) {
    constexpr float sqrt_3 = 1.7320508f;  // a uniform number in [-1, 1) has the variance 1/3
    const auto bits = static_cast<std::int32_t>(next_bits() >> 40) - (1 << 23);
    return static_cast<float>(bits) * 0x1p-23f * sqrt_3 * deviation;
  }

 private:
  std::uint64_t next_bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace feedtune
