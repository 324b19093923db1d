#pragma once
// Huffman tables of baseline JPEG (ITU-T T.81, Annex C and F.2.2) as look-up tables that give a coefficient at a time.

#include <array>
#include <cstdint>

#include "pipeline/huffman_bits.hpp"

namespace feedtune {

/// The code lengths and symbols of a DHT segment: counts[n] codes of n bits, symbols in the order of their codes.
struct HuffmanSpec {
  std::array<std::uint8_t, 17> counts{};
  std::array<std::uint8_t, 256> symbols{};
  bool operator==(const HuffmanSpec&) const = default;
};

/// A symbol with its code's length: a coefficient's size in bits and the zeros before it (its run; none for DC).
class HuffmanEntry {
 public:
  constexpr HuffmanEntry() = default;  ///< no code
  constexpr HuffmanEntry(std::uint32_t code_bits, std::uint32_t symbol)
      : packed_((code_bits + (symbol & 15)) | code_bits << 8 | (symbol & 15) << 16 | (symbol >> 4) << 24) {}
  constexpr explicit operator bool() const { return packed_ != 0; }
  /// Of code and value. For HuffmanBits::take(), which looks at six bits only, it may come with what is above it.
  constexpr std::uint32_t all_bits() const { return packed_ & 0xFF; }
  constexpr std::uint32_t to_take() const { return packed_; }
  constexpr std::uint32_t code_bits() const { return (packed_ >> 8) & 0xFF; }
  constexpr std::uint32_t size() const { return (packed_ >> 16) & 0xFF; }
  constexpr std::uint32_t run() const { return packed_ >> 24; }
  /// Sixteen zeros have no size either: a run of 15 and a coefficient of nothing, which is how they are read.
  constexpr bool ends_block() const { return size() == 0 && run() != 15; }

 private:
  std::uint32_t packed_ = 0;
};

/// A look-up by the next bits gives a symbol and where the next one begins, which is what decoding waits for; the
/// coefficient's own bits are taken from the stream meanwhile. Codes longer than the look-up are searched by length.
class HuffmanTable {
 public:
  /// Bits of the look-up. More of them, and two tables with their skips leave the first-level cache.
  static constexpr int width = 10;
  static constexpr int longest = 16;

  /// Builds what isn't built yet. False for lengths that are no prefix code, or (DC) sizes of more than 15 bits.
  bool build(const HuffmanSpec& spec, bool dc);

  /// Difference of a DC coefficient to the one before. False for bits that are no code.
  bool read_dc(HuffmanBits& bits, int& difference) const;
  /// The 63 AC coefficients, into `block` (64 of them, zeros before) in natural order. False as above.
  bool read_ac(HuffmanBits& bits, std::int16_t* block) const;
  /// The same without keeping them: several coefficients a look-up.
  bool skip_ac(HuffmanBits& bits) const;

 private:
  /// From the lowest byte: bits of all symbols whose codes are inside the look-up, 0 for a longer code (of the last one, the
  /// value may lie outside); the coefficients they stand for; 1 where the last one ends the block.
  using Skip = std::uint32_t;

  void fill_entries();
  void fill_skips();
  /// The entry of a code that is longer than the look-up, from the next `longest` bits.
  HuffmanEntry long_entry(std::uint32_t front) const;

  HuffmanSpec spec_;
  bool built_ = false;
  bool dc_ = false;
  std::array<HuffmanEntry, 1 << width> entries_;
  std::array<Skip, 1 << width> skips_;
  /// By length: the first code beyond it, in 16 bits, and what added to a code gives its place among the symbols.
  std::array<std::uint32_t, longest + 1> limits_;
  std::array<std::int32_t, longest + 1> places_;
};

/// T.81 figure A.6: where the coefficients of the zigzag order lie. A run may lead beyond the last one; libjpeg lets those
/// fall on it, and so does this.
inline constexpr std::array<std::uint8_t, 80> natural_order = [] {
  std::array<std::uint8_t, 80> order{};
  int row = 0;
  int column = 0;
  for (int k = 0; k < 64; ++k) {
    order[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(row * 8 + column);
    const bool up = (row + column) % 2 == 0;
    if (up && column == 7) ++row;
    else if (up && row == 0) ++column;
    else if (up) --row, ++column;
    else if (row == 7) ++column;
    else if (column == 0) ++row;
    else ++row, --column;
  }
  for (std::size_t k = 64; k < order.size(); ++k) order[k] = 63;
  return order;
}();

[[gnu::always_inline]] inline bool HuffmanTable::read_dc(HuffmanBits& bits, int& difference) const {
  bits.refill();
  HuffmanEntry entry = entries_[bits.peek(width)];
  if (!entry) [[unlikely]] entry = long_entry(bits.peek(longest));
  difference = extended_value(bits.front() << entry.code_bits(), entry.size());
  bits.take(entry.to_take());
  return static_cast<bool>(entry);
}

[[gnu::always_inline]] inline bool HuffmanTable::read_ac(HuffmanBits& bits, std::int16_t* block) const {
  std::uint32_t k = 1;
  // Two symbols in a refill: 31 bits at most for the first, and 25 for a second that is in the look-up.
  const auto read_one = [&](HuffmanEntry entry) {
    k += entry.run();
    block[natural_order[k]] = static_cast<std::int16_t>(extended_value(bits.front() << entry.code_bits(), entry.size()));
    ++k;
    bits.take(entry.to_take());
  };
  while (k < 64) {
    bits.refill();
    HuffmanEntry entry = entries_[bits.peek(width)];
    if (entry.size() == 0) [[unlikely]] {
      if (!entry) entry = long_entry(bits.peek(longest));
      if (!entry) return false;
      if (entry.ends_block()) {
        bits.take(entry.to_take());
        break;
      }
    }
    read_one(entry);
    entry = entries_[bits.peek(width)];
    if (entry.size() == 0 || k > 63) continue;
    read_one(entry);
  }
  return true;
}

[[gnu::always_inline]] inline bool HuffmanTable::skip_ac(HuffmanBits& bits) const {
  std::uint32_t k = 1;
  while (k < 64) {
    bits.refill();
    const std::uint32_t front = bits.peek(width);
    const Skip skip = skips_[front];
    const std::uint32_t passed = (skip >> 8) & 0xFF;
    const std::uint32_t ended = skip >> 16;
    // No symbol of these may belong to the next block already.
    if (skip != 0 && k + passed + ended <= 64) [[likely]] {
      bits.take(skip);
      k += passed;
      if (ended != 0) break;
      continue;
    }
    HuffmanEntry entry = entries_[front];
    if (!entry) entry = long_entry(bits.peek(longest));
    if (!entry) return false;
    bits.take(entry.to_take());
    if (entry.ends_block()) break;
    k += entry.run() + 1;
  }
  return true;
}

}  // namespace feedtune
