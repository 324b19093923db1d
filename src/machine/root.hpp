#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/split.hpp"

namespace feedtune {

/// Where /proc, /sys and /etc are read from: "/" is this machine, another folder a copy of one (tests, or a fingerprint
/// of a machine that isn't at hand). Paths are given as on that machine, beginning with '/'. Nothing throws.
class Root {
 public:
  explicit Root(std::string folder = "/");

  bool is_this_machine() const { return prefix_.empty(); }
  std::string path(std::string_view path_on_machine) const { return prefix_ + std::string(path_on_machine); }

  /// A whole small file (at most 16 MiB). Nothing when it can't be read.
  std::optional<std::string> read(std::string_view path) const;
  /// Its first line without surrounding blanks.
  std::optional<std::string> read_line(std::string_view path) const;
  std::optional<std::int64_t> read_integer(std::string_view path) const;
  /// Names in a folder, sorted; without "." and "..". Empty when it can't be read.
  std::vector<std::string> list(std::string_view path) const;
  bool exists(std::string_view path) const;

 private:
  std::string prefix_;
};

std::optional<std::int64_t> parse_integer(std::string_view text);
std::vector<std::string_view> split_lines(std::string_view text);
std::string_view trim(std::string_view text);

/// The value of "key<separator> value", a line of /proc/cpuinfo, /proc/meminfo, cpu.stat, ...: the first such line's.
std::optional<std::string_view> find_value(std::string_view text, std::string_view key, char separator);

}  // namespace feedtune
