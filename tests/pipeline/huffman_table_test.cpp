// The look-up tables of our Huffman decoding, against an encoder that knows nothing of look-ups.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "pipeline/huffman_table.hpp"

namespace feedtune {
namespace {

struct Code {
  std::uint32_t bits = 0;
  int length = 0;
};

/// T.81 Annex C: codes of growing length, each one more than the last.
std::vector<Code> codes_of(const HuffmanSpec& spec) {
  std::vector<Code> codes;
  std::uint32_t code = 0;
  for (int length = 1; length <= 16; ++length, code <<= 1)
    for (int k = 0; k < spec.counts[static_cast<std::size_t>(length)]; ++k) codes.push_back({code++, length});
  return codes;
}

class BitWriter {
 public:
  void put(std::uint32_t bits, int length) {
    for (int k = length - 1; k >= 0; --k) {
      byte_ = static_cast<std::uint8_t>(byte_ << 1 | ((bits >> k) & 1));
      if (++filled_ == 8) flush();
    }
    written_ += length;
  }
  std::vector<std::uint8_t> finish() {
    while (filled_ != 0) put(1, 1);
    bytes_.insert(bytes_.end(), {0xFF, 0xD9});
    return bytes_;
  }
  int written() const { return written_; }

 private:
  void flush() {
    bytes_.push_back(byte_);
    if (byte_ == 0xFF) bytes_.push_back(0);
    byte_ = 0;
    filled_ = 0;
  }
  std::vector<std::uint8_t> bytes_;
  std::uint8_t byte_ = 0;
  int filled_ = 0;
  int written_ = 0;
};

/// Any prefix code that JPEG allows: some codes of each length as long as there is room, symbols in any order.
HuffmanSpec any_spec() {
  HuffmanSpec spec;
  std::vector<std::uint8_t> symbols(256);
  std::iota(symbols.begin(), symbols.end(), std::uint8_t{0});
  for (std::size_t k = symbols.size() - 1; k > 0; --k) std::swap(symbols[k], symbols[*rc::gen::inRange<std::size_t>(0, k + 1)]);
  std::copy(symbols.begin(), symbols.end(), spec.symbols.begin());
  std::uint32_t code = 0;
  int count = 0;
  for (int length = 1; length <= 16; ++length, code <<= 1) {
    const auto room = static_cast<int>((1u << length) - 1 - code);  // all ones is no code
    const int most = length == 16 ? room : room / 2;
    const int here = std::min(*rc::gen::inRange(0, std::max(1, std::min(most, 40) + 1)), 256 - count);
    spec.counts[static_cast<std::size_t>(length)] = static_cast<std::uint8_t>(here);
    code += static_cast<std::uint32_t>(here);
    count += here;
  }
  return spec;
}

int extended(std::uint32_t raw, int size) {
  return size == 0 || raw >= (1u << (size - 1)) ? static_cast<int>(raw) : static_cast<int>(raw) - (1 << size) + 1;
}

constexpr int zigzag[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
                            41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
                            30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

struct BlockWriter {
  const HuffmanSpec& spec;
  const std::vector<Code>& codes;
  BitWriter bits{};

  /// Random symbols up to the block's end, none that leads beyond it.
  std::array<std::int16_t, 64> write_block() {
    std::array<std::int16_t, 64> block{};
    for (int k = 1; k < 64;) {
      std::vector<std::size_t> fitting;
      for (std::size_t at = 0; at < codes.size(); ++at) {
        const int size = spec.symbols[at] & 15;
        const int run = spec.symbols[at] >> 4;
        if (size != 0 ? k + run < 64 : run != 15 || k + 16 <= 64) fitting.push_back(at);
      }
      RC_PRE(!fitting.empty());
      const std::size_t at = fitting[*rc::gen::inRange<std::size_t>(0, fitting.size())];
      const int size = spec.symbols[at] & 15;
      const int run = spec.symbols[at] >> 4;
      bits.put(codes[at].bits, codes[at].length);
      if (size == 0 && run != 15) break;
      k += run;
      if (size != 0) {
        const auto raw = *rc::gen::inRange<std::uint32_t>(0, 1u << size);
        bits.put(raw, size);
        block[static_cast<std::size_t>(zigzag[k])] = static_cast<std::int16_t>(extended(raw, size));
      }
      ++k;
    }
    return block;
  }
};

RC_GTEST_PROP(HuffmanTables, AnyTableAndAnySymbolsAreReadAndPassedOverAlike, ()) {
  const HuffmanSpec spec = any_spec();
  const auto codes = codes_of(spec);
  RC_PRE(!codes.empty());
  BlockWriter writer{spec, codes};
  std::vector<std::array<std::int16_t, 64>> blocks;
  for (int k = 0; k < 8; ++k) blocks.push_back(writer.write_block());
  const auto bytes = writer.bits.finish();
  HuffmanTable table;
  RC_ASSERT(table.build(spec, false));
  HuffmanBits reading(bytes.data(), bytes.data() + bytes.size());
  HuffmanBits passing = reading;
  for (const auto& block : blocks) {
    std::array<std::int16_t, 64> got{};
    RC_ASSERT(table.read_ac(reading, got.data()));
    RC_ASSERT(got == block);
    RC_ASSERT(table.skip_ac(passing));
    RC_ASSERT(!reading.overrun() && !passing.overrun());
    reading.refill();
    passing.refill();
    RC_ASSERT(reading.peek(32) == passing.peek(32));
  }
}

RC_GTEST_PROP(HuffmanTables, AnyDcDifferenceComesBack, ()) {
  HuffmanSpec spec = any_spec();
  for (std::uint8_t& symbol : spec.symbols) symbol &= 15;
  const auto codes = codes_of(spec);
  RC_PRE(!codes.empty());
  BitWriter bits;
  std::vector<int> differences;
  for (int k = 0; k < 50; ++k) {
    const auto at = *rc::gen::inRange<std::size_t>(0, codes.size());
    const int size = spec.symbols[at];
    const auto raw = *rc::gen::inRange<std::uint32_t>(0, 1u << size);
    bits.put(codes[at].bits, codes[at].length);
    bits.put(raw, size);
    differences.push_back(extended(raw, size));
  }
  const auto bytes = bits.finish();
  HuffmanTable table;
  RC_ASSERT(table.build(spec, true));
  HuffmanBits reading(bytes.data(), bytes.data() + bytes.size());
  for (const int expected : differences) {
    int got = 0;
    RC_ASSERT(table.read_dc(reading, got));
    RC_ASSERT(got == expected);
  }
  RC_ASSERT(!reading.overrun());
}

RC_GTEST_PROP(HuffmanTables, AnyBytesAsLengthsAndBitsStayInBounds, ()) {
  HuffmanSpec spec;
  for (std::size_t k = 1; k < spec.counts.size(); ++k) spec.counts[k] = *rc::gen::inRange<std::uint8_t>(0, k < 8 ? 3 : 60);
  for (std::uint8_t& symbol : spec.symbols) symbol = *rc::gen::arbitrary<std::uint8_t>();
  HuffmanTable table;
  if (!table.build(spec, false)) return;
  auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>());
  bytes.insert(bytes.end(), {0xFF, 0xD9});
  HuffmanBits reading(bytes.data(), bytes.data() + bytes.size());
  HuffmanBits passing = reading;
  for (int k = 0; k < 40; ++k) {
    std::array<std::int16_t, 64> block{};
    const bool read = table.read_ac(reading, block.data());
    RC_ASSERT(table.skip_ac(passing) == read);
    RC_ASSERT(reading.overrun() == passing.overrun());
    if (!read) break;
  }
}

TEST(HuffmanTables, LengthsThatAreNoPrefixCodeAreRefused) {
  HuffmanSpec spec;
  spec.counts[1] = 3;
  HuffmanTable table;
  EXPECT_FALSE(table.build(spec, false));
  EXPECT_FALSE(table.build(spec, false)) << "nor the second time";
  spec.counts[1] = 1;
  spec.symbols[0] = 16;
  EXPECT_FALSE(table.build(spec, true)) << "a DC difference of 16 bits";
}

}  // namespace
}  // namespace feedtune
