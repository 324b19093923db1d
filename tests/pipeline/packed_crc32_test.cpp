// The checksum of packed folders.

#include <gtest/gtest.h>

#include <cstring>

#include "packed_fixture.hpp"
#include "pipeline/crc32.hpp"

namespace feedtune {
namespace {

using namespace packed_test;

TEST(PackedCrc32, IsTheOneOfTheStandardInAnyPieces) {
  const std::string text = "123456789";  // whose CRC-32 is in every description of it
  const auto bytes = test::bytes_of(text);
  EXPECT_EQ(crc32(bytes), 0xcbf43926u);
  EXPECT_EQ(crc32({}), 0u);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
    EXPECT_EQ(crc32(bytes.subspan(cut), crc32(bytes.first(cut))), 0xcbf43926u);
  // python3 -c 'import zlib; print(hex(zlib.crc32(bytes(i * 7 % 251 for i in range(1000)))))'
  std::vector<std::byte> many(1000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::byte>(i * 7 % 251);
  EXPECT_EQ(crc32(many), 0x04da8651u);
}

TEST(PackedCrc32, OfZerosItIsThatOfAllOfThemReadOneByOne) {
  const std::vector<std::byte> zeros(5000);
  for (const std::size_t count : {0, 1, 2, 63, 64, 1000, 4097, 5000})
    for (const std::uint32_t before : {0u, 0xcbf43926u})
      EXPECT_EQ(crc32_of_zeros(count, before), crc32(std::span(zeros).first(count), before)) << count;
}

}  // namespace
}  // namespace feedtune
