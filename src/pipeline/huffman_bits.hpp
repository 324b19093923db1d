#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace feedtune {

/// The value that the `size` highest bits of `front` stand for, 0 to 15 of them, as T.81 F.2.2.1 extends it: those that
/// begin with a 0 are negative. Without branches, which the processor could not foresee.
inline int extended_value(std::uint64_t front, std::uint32_t size) {
  const auto raw = static_cast<std::int64_t>(front >> 1 >> (63 - size));
  const std::int64_t negative = ~(static_cast<std::int64_t>(front) >> 63);
  return static_cast<int>(raw + (negative & (1 - (std::int64_t{1} << size))));
}

/// The bits of a JPEG scan, first one first, without the zero bytes that are stuffed behind 0xFF. Stops at a marker and
/// gives zeros from there on.
class HuffmanBits {
 public:
  HuffmanBits() = default;
  HuffmanBits(const std::uint8_t* begin, const std::uint8_t* end) : next_(begin), end_(end) {}

  /// 56 to 63 bits from here on.
  [[gnu::always_inline]] void refill() {
    if (end_ - next_ >= 8) [[likely]] {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, next_, 8);
      if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
      // A byte of the complement that is zero: 0xFF.
      constexpr std::uint64_t ones = 0x0101010101010101;
      if (((~bytes - ones) & bytes & (ones << 7)) == 0) [[likely]] {
        // The bits below count_ are the stream's too and come again, the same, with the next refill.
        bits_ |= bytes >> count_;
        next_ += (63 - count_) >> 3;
        count_ |= 56;
        return;
      }
    }
    *this = refilled_by_byte(*this);
  }

  /// The bits from here on, the next one highest. Below the known ones: zeros, or what follows in the stream.
  std::uint64_t front() const { return bits_; }
  /// The next `n` bits, 1 to 56.
  std::uint32_t peek(int n) const { return static_cast<std::uint32_t>(bits_ >> (64 - n)); }
  /// Up to 63 of them; of `n` only the lowest six bits count.
  void take(std::uint32_t n) {
    bits_ <<= n & 63;
    count_ -= static_cast<int>(n & 63);
  }

  /// More was taken than there is, or the bytes end soon and without a marker (which libjpeg, reading ahead, may notice).
  bool overrun() const { return count_ < padding_ || (end_ - next_ < 16 && !marker_ahead()); }

  /// Passes the restart marker RST`number`, which must be next but for bits that fill the byte.
  bool restart(int number) {
    if (overrun() || count_ - padding_ >= 8) return false;
    if (end_ - next_ < 2 || next_[0] != 0xFF || next_[1] != 0xD0 + number) return false;
    *this = HuffmanBits(next_ + 2, end_);
    return true;
  }

 private:
  bool marker_ahead() const {
    for (const std::uint8_t* at = next_; end_ - at >= 2; ++at)
      if (at[0] == 0xFF && at[1] != 0 && at[1] != 0xFF) return true;
    return false;
  }

  /// By value: an object whose address is known elsewhere would live in memory instead of registers.
  [[gnu::noinline]] static HuffmanBits refilled_by_byte(HuffmanBits from) {
    from.bits_ = from.count_ == 0 ? 0 : from.bits_ & (~std::uint64_t{0} << (64 - from.count_));
    while (from.count_ < 56) {
      // Of a run of 0xFF only the last one counts (T.81 B.1.1.2): a marker's, or a byte of the stream's.
      while (from.end_ - from.next_ >= 2 && from.next_[0] == 0xFF && from.next_[1] == 0xFF) ++from.next_;
      std::uint64_t byte = 0;
      if (from.next_ != from.end_ && *from.next_ != 0xFF) {
        byte = *from.next_++;
      } else if (from.end_ - from.next_ >= 2 && from.next_[1] == 0) {
        byte = 0xFF;
        from.next_ += 2;
      } else {
        from.padding_ += 8;
      }
      from.bits_ |= byte << (56 - from.count_);
      from.count_ += 8;
    }
    return from;
  }

  std::uint64_t bits_ = 0;  ///< the next bit is the highest
  int count_ = 0;           ///< of them; what lies below is either zero or the stream's next
  int padding_ = 0;         ///< zeros that were put behind the end
  const std::uint8_t* next_ = nullptr;
  const std::uint8_t* end_ = nullptr;
};

}  // namespace feedtune
