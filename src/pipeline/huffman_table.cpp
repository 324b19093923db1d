#include "pipeline/huffman_table.hpp"

#include <algorithm>

namespace feedtune {

bool HuffmanTable::build(const HuffmanSpec& spec, bool dc) {
  if (built_ && dc == dc_ && spec == spec_) return true;
  built_ = false;
  dc_ = dc;
  spec_ = spec;
  std::uint32_t code = 0;
  std::int32_t place = 0;
  for (int length = 1; length <= longest; ++length) {
    const auto at = static_cast<std::size_t>(length);
    places_[at] = place - static_cast<std::int32_t>(code);
    code += spec.counts[at];
    place += spec.counts[at];
    if (code > (1U << length) || place > 256) return false;
    limits_[at] = code << (longest - length);
    code <<= 1;
  }
  if (dc && std::any_of(spec.symbols.begin(), spec.symbols.begin() + place, [](std::uint8_t s) { return s > 15; })) return false;
  fill_entries();
  if (!dc) fill_skips();
  built_ = true;
  return true;
}

void HuffmanTable::fill_entries() {
  entries_.fill({});
  std::size_t place = 0;
  std::uint32_t code = 0;
  for (int length = 1; length <= width; ++length, code <<= 1) {
    const int free_bits = width - length;
    for (int k = 0; k < spec_.counts[static_cast<std::size_t>(length)]; ++k, ++code)
      std::fill_n(entries_.begin() + (code << free_bits), 1 << free_bits, HuffmanEntry(static_cast<std::uint32_t>(length), spec_.symbols[place++]));
  }
}

void HuffmanTable::fill_skips() {
  for (std::uint32_t index = 0; index < skips_.size(); ++index) {
    std::uint32_t taken = 0;
    std::uint32_t passed = 0;
    std::uint32_t ended = 0;
    while (ended == 0 && taken < width) {
      // What lies behind the look-up's bits is unknown; zeros stand for it, and a code that needs them is not used.
      const HuffmanEntry entry = entries_[(index << taken) & (skips_.size() - 1)];
      if (!entry || taken + entry.code_bits() > width) break;
      taken += entry.all_bits();
      if (entry.ends_block()) ended = 1;
      else passed += entry.run() + 1;
    }
    skips_[index] = taken | passed << 8 | ended << 16;
  }
}

HuffmanEntry HuffmanTable::long_entry(std::uint32_t front) const {
  for (int length = width + 1; length <= longest; ++length) {
    const auto at = static_cast<std::size_t>(length);
    if (front >= limits_[at]) continue;
    const auto place = places_[at] + static_cast<std::int32_t>(front >> (longest - length));
    return HuffmanEntry(static_cast<std::uint32_t>(length), spec_.symbols[static_cast<std::size_t>(place)]);
  }
  return {};
}

}  // namespace feedtune
