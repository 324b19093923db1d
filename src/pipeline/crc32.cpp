#include "pipeline/crc32.hpp"

#include <array>

namespace feedtune {
namespace {

constexpr std::size_t slices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, slices>;

/// tables[k][b]: what the byte b does to the remainder when k more bytes follow it, so that eight bytes are eight
/// look-ups that don't wait for each other.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xedb88320u : 0u);
    tables[0][byte] = rest;
  }
  for (std::size_t k = 1; k < slices; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xff];
  return tables;
}

constexpr Tables tables = make_tables();

/// Product of two polynomials modulo the CRC's, in its order of bits: the highest bit stands for x^0.
std::uint32_t multiplied(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 0x80000000u; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b >> 1) ^ ((b & 1) != 0 ? 0xedb88320u : 0u);
  }
  return product;
}

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t rest = ~before;
  const auto at = [&bytes](std::size_t i) { return static_cast<std::uint32_t>(bytes[i]); };
  for (; bytes.size() >= slices; bytes = bytes.subspan(slices)) {
    const std::uint32_t first = rest ^ (at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24);
    rest = tables[7][first & 0xff] ^ tables[6][(first >> 8) & 0xff] ^ tables[5][(first >> 16) & 0xff] ^
           tables[4][first >> 24] ^ tables[3][at(4)] ^ tables[2][at(5)] ^ tables[1][at(6)] ^ tables[0][at(7)];
  }
  for (const std::byte byte : bytes) rest = (rest >> 8) ^ tables[0][(rest ^ static_cast<std::uint32_t>(byte)) & 0xff];
  return ~rest;
}

/// A zero byte multiplies the remainder by x^8; squaring goes through the bits of the count.
std::uint32_t crc32_of_zeros(std::uint64_t count, std::uint32_t before) {
  std::uint32_t rest = ~before;
  for (std::uint32_t power = 0x00800000u; count != 0; count >>= 1, power = multiplied(power, power))
    if ((count & 1) != 0) rest = multiplied(power, rest);
  return ~rest;
}

}  // namespace feedtune
