#include <algorithm>
#include <cctype>

#include "machine/smbios.hpp"

namespace feedtune {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_separator(char c) { return c == ' ' || c == '_' || c == '-' || c == ':' || c == '#'; }

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// "P0 CHANNEL A" -> "P0 CHANNEL A"; "CONTROLLER1-CHANNELB-DIMM0" -> "CONTROLLER1-CHANNELB".
std::optional<std::string> by_word(const std::string& text) {
  constexpr std::string_view word = "CHANNEL";
  const auto at = text.find(word);
  if (at == std::string::npos) return std::nullopt;
  std::size_t end = at + word.size();
  while (end < text.size() && is_separator(text[end])) ++end;
  const std::size_t name = end;
  while (end < text.size() && (is_digit(text[end]) || is_upper(text[end]))) ++end;
  // "CHANNELADIMM0" would be read as one long name: a channel's is a letter or a number.
  if (end == name || (is_upper(text[name]) && end - name > 1)) return std::nullopt;
  return text.substr(0, end);
}

/// "DIMM_A2" -> "DIMM_A"; "P1-DIMMC1" -> "P1-DIMMC"; "DIMM_P0_A0" -> "DIMM_P0_A"; "DIMM B" -> "DIMM B". A letter without "DIMM" before it is
/// none: boards that name slots "A1" to "A12" count the processor's slots so.
std::optional<std::string> by_letter(const std::string& text) {
  const auto at = text.find("DIMM");
  std::size_t end = text.size();
  while (end > 0 && is_digit(text[end - 1])) --end;
  if (at == std::string::npos || end < at + 5 || !is_upper(text[end - 1])) return std::nullopt;
  const std::string_view between = std::string_view(text).substr(at + 4, end - 1 - (at + 4));
  // Between the word and the letter: separators, or a processor ("_P0_").
  if (!between.empty() && !is_separator(between.back())) return std::nullopt;
  return text.substr(0, end);
}

}  // namespace

std::optional<std::string> memory_channel(const MemoryDevice& device) {
  const std::string locator = upper(device.locator), bank = upper(device.bank_locator);
  // A bank locator that names the channel is the more exact one: the slots of two processors may share their locators.
  if (auto channel = by_word(bank)) return channel;
  if (auto channel = by_word(locator)) return channel;
  return by_letter(locator);
}

}  // namespace feedtune
