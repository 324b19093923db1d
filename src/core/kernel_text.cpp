#include "core/kernel_text.hpp"

#include <algorithm>
#include <charconv>

namespace feedtune {
namespace {

constexpr int largest_cpu = 1 << 16;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// A whole number and nothing else.
std::optional<std::int64_t> number_of(std::string_view text) {
  text = trimmed(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Cuts the part up to `separator` (or the end) off the front of `text`.
std::string_view take_until(std::string_view& text, char separator) {
  const auto at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

}  // namespace

std::optional<std::set<int>> parse_cpu_list(std::string_view text) {
  std::set<int> cpus;
  text = trimmed(text);
  if (text.empty() || text.back() == ',') return std::nullopt;
  while (!text.empty()) {
    std::string_view last_text = take_until(text, ',');
    const bool range = last_text.find('-') != std::string_view::npos;
    const auto first = number_of(range ? take_until(last_text, '-') : last_text);
    const auto last = range ? number_of(last_text) : first;
    if (!first || !last || *first < 0 || *last < *first || *last > largest_cpu) return std::nullopt;
    for (auto cpu = *first; cpu <= *last; ++cpu) cpus.insert(static_cast<int>(cpu));
  }
  return cpus;
}

std::optional<std::int64_t> kib_line_bytes(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    const bool has_value = line.find(':') != std::string_view::npos;
    if (trimmed(take_until(line, ':')) != key || !has_value) continue;
    line = trimmed(line);
    const auto kibibytes = number_of(take_until(line, ' '));
    const bool possible = kibibytes && *kibibytes >= 0 && *kibibytes < (std::int64_t{1} << 53);
    return possible && trimmed(line) == "kB" ? std::optional(*kibibytes * 1024) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace feedtune
