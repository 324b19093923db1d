#include "core/utf8.hpp"

namespace feedtune {

std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto between = [&](std::size_t i, unsigned low, unsigned high) { return byte(i) >= low && byte(i) <= high; };
  const auto tail = [&](std::size_t i) { return between(i, 0x80, 0xBF); };
  const unsigned first = byte(0);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first == 0xE0) return between(1, 0xA0, 0xBF) && tail(2) ? 3 : 0;
  if (first == 0xED) return between(1, 0x80, 0x9F) && tail(2) ? 3 : 0;
  if (first >= 0xE1 && first <= 0xEF) return tail(1) && tail(2) ? 3 : 0;
  if (first == 0xF0) return between(1, 0x90, 0xBF) && tail(2) && tail(3) ? 4 : 0;
  if (first >= 0xF1 && first <= 0xF3) return tail(1) && tail(2) && tail(3) ? 4 : 0;
  if (first == 0xF4) return between(1, 0x80, 0x8F) && tail(2) && tail(3) ? 4 : 0;
  return 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace feedtune
