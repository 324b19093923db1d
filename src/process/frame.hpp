#pragma once
// Framing of messages on a stream: a 4-byte little-endian length, then that many bytes.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace feedtune {

inline constexpr std::size_t max_message_bytes = std::size_t{64} << 20;
inline constexpr std::size_t frame_header_bytes = 4;

/// Throws Error for a message longer than max_message_bytes: the receiver would refuse it.
std::array<char, frame_header_bytes> frame_header(std::size_t message_bytes);

/// Cuts a stream into messages. Memory grows with the bytes that have come, not with the length that they claim.
class FrameReader {
 public:
  enum class Next { message, incomplete, malformed };

  void append(std::string_view bytes);
  /// `malformed` (a length over the limit) is final: nothing after it can be trusted.
  Next next(std::string& message);
  /// Bytes held that no call to next() has returned.
  std::size_t buffered() const { return buffer_.size() - start_; }

 private:
  std::string buffer_;
  std::size_t start_ = 0;  ///< of the first byte that belongs to no message yet
  bool malformed_ = false;
};

}  // namespace feedtune
