#pragma once
// Random numbers that are the same in every library: made-up machines have to be.

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace feedtune {

/// SplitMix64 (Steele et al. 2014): a stream for each (seed, stream), cheap enough to start anew for each trial.
class SeededDraw {
 public:
  SeededDraw(std::uint64_t seed, std::uint64_t stream) : state_(finalised(seed + golden * (stream + 1))) {}

  std::uint64_t bits() { return finalised(state_ += golden); }
  /// In (0, 1).
  double uniform() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform()); }
  bool chance(double probability) { return uniform() < probability; }
  /// An index below `count`.
  std::size_t index(std::size_t count) { return static_cast<std::size_t>(bits() % count); }
  /// Standard normal (Box and Muller 1958).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  static constexpr std::uint64_t finalised(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// FNV-1a: a stream's number from a name.
constexpr std::uint64_t stream_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace feedtune
