#include "machine/mounts.hpp"

#include <algorithm>

namespace feedtune {
namespace {

/// Blanks and backslashes are written as \040 and the like.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digits = text.substr(i + 1, 3);
    const bool octal = text[i] == '\\' && digits.size() == 3 &&
                       std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '7'; });
    if (octal) {
      plain += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool lies_in(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.substr(0, folder.size()) == folder && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

bool list_holds(std::string_view comma_separated, std::string_view item) {
  const auto items = split(comma_separated, ",");
  return std::find(items.begin(), items.end(), item) != items.end();
}

std::vector<Mount> read_mounts(const Root& root) {
  std::vector<Mount> mounts;
  const auto text = root.read("/proc/self/mountinfo");
  if (!text) return mounts;
  for (const auto line : split_lines(*text)) {  // "31 23 0:28 /root /point options... - type source options"
    const auto dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const auto left = split(line.substr(0, dash), " ");
    const auto right = split(line.substr(dash + 3), " ");
    if (left.size() < 5 || right.size() < 3) continue;
    mounts.push_back({unescape(left[3]), unescape(left[4]), std::string(right[0]), std::string(right[2]), std::string(left[2])});
  }
  return mounts;
}

std::optional<Mount> mount_of(const std::vector<Mount>& mounts, std::string_view path) {
  const Mount* best = nullptr;
  for (const auto& mount : mounts)
    if (lies_in(path, mount.point) && (best == nullptr || mount.point.size() >= best->point.size())) best = &mount;
  if (best == nullptr) return std::nullopt;
  return *best;
}

}  // namespace feedtune
