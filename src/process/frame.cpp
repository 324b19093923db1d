#include "process/frame.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "core/error.hpp"

namespace feedtune {

std::array<char, frame_header_bytes> frame_header(std::size_t message_bytes) {
  if (message_bytes > max_message_bytes)
    throw Error(fmt::format("a message of {} bytes is over the limit of {}", message_bytes, max_message_bytes));
  std::array<char, frame_header_bytes> header{};
  for (std::size_t i = 0; i < header.size(); ++i) header[i] = static_cast<char>((message_bytes >> (8 * i)) & 0xff);
  return header;
}

void FrameReader::append(std::string_view bytes) {
  if (malformed_) return;
  // Dropping the consumed front only when it outweighs the rest keeps the cost linear in the bytes received.
  if (start_ > 0 && start_ >= buffer_.size() / 2) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  buffer_.append(bytes);
}

FrameReader::Next FrameReader::next(std::string& message) {
  if (malformed_) return Next::malformed;
  if (buffer_.size() - start_ < frame_header_bytes) return Next::incomplete;
  std::size_t length = 0;
  for (std::size_t i = 0; i < frame_header_bytes; ++i)
    length |= static_cast<std::size_t>(static_cast<std::uint8_t>(buffer_[start_ + i])) << (8 * i);
  if (length > max_message_bytes) {
    malformed_ = true;
    buffer_ = std::string();
    return Next::malformed;
  }
  if (buffer_.size() - start_ - frame_header_bytes < length) return Next::incomplete;
  message.assign(buffer_, start_ + frame_header_bytes, length);
  start_ += frame_header_bytes + length;
  if (start_ == buffer_.size()) {
    buffer_.clear();
    if (buffer_.capacity() > (std::size_t{1} << 20)) buffer_.shrink_to_fit();
    start_ = 0;
  }
  return Next::message;
}

}  // namespace feedtune
