#pragma once
// The two 64-bit mixing functions of the pipeline. Neither is meant to resist an adversary.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace feedtune {

/// Finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection in which every input bit reaches every output bit.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo), byte by byte, so that it is the same on every machine.
class Fnv1a64 {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) value_ = (value_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  /// Little-endian.
  void add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) value_ = (value_ ^ ((number >> (8 * i)) & 0xff)) * 0x100000001b3u;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace feedtune
