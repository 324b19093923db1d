#include "core/single_line.hpp"

#include "core/utf8.hpp"

namespace feedtune {
namespace {

/// `sequence` is well-formed.
bool is_control(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (sequence.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;  // U+0080 to 9F: terminals obey some of them
  if (sequence.size() != 3 || byte(0) != 0xE2) return false;
  const unsigned last = byte(2);
  if (byte(1) == 0x80) return last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE);  // U+200E, 200F, 2028 to 202E
  return byte(1) == 0x81 && last >= 0xA6 && last <= 0xA9;                                      // U+2066 to 2069
}

}  // namespace

std::string single_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    if (length == 0)
      line += "\uFFFD";
    else if (is_control(text.substr(0, length)))
      line += ' ';
    else
      line += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return line;
}

}  // namespace feedtune
