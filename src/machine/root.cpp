#include "machine/root.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace feedtune {
namespace {

constexpr std::size_t largest_file = std::size_t{16} << 20;

}  // namespace

Root::Root(std::string folder) : prefix_(std::move(folder)) {
  while (!prefix_.empty() && prefix_.back() == '/') prefix_.pop_back();
}

std::optional<std::string> Root::read(std::string_view path_on_machine) const {
  std::ifstream file(path(path_on_machine), std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  char chunk[16384];
  while (text.size() < largest_file && (file.read(chunk, sizeof chunk), file.gcount() > 0))
    text.append(chunk, static_cast<std::size_t>(file.gcount()));
  if (file.bad() || (text.empty() && !file.eof())) return std::nullopt;
  return text;
}

std::optional<std::string> Root::read_line(std::string_view path_on_machine) const {
  const auto text = read(path_on_machine);
  if (!text) return std::nullopt;
  const std::string_view line(text->data(), std::min(text->find('\n'), text->size()));
  return std::string(trim(line));
}

std::optional<std::int64_t> Root::read_integer(std::string_view path_on_machine) const {
  const auto line = read_line(path_on_machine);
  return line ? parse_integer(*line) : std::nullopt;
}

std::vector<std::string> Root::list(std::string_view path_on_machine) const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator item(path(path_on_machine), error), end; !error && item != end; item.increment(error))
    names.push_back(item->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool Root::exists(std::string_view path_on_machine) const {
  std::error_code error;
  return std::filesystem::exists(path(path_on_machine), error);
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = trim(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  auto lines = split(text, "\n");
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::optional<std::string_view> find_value(std::string_view text, std::string_view key, char separator) {
  for (const auto line : split_lines(text)) {
    const auto at = line.find(separator);
    if (at != std::string_view::npos && trim(line.substr(0, at)) == key) return trim(line.substr(at + 1));
  }
  return std::nullopt;
}

}  // namespace feedtune
