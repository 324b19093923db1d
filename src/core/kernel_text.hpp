#pragma once
// Notations of the kernel's own text files (/proc, /sys), as more than one folder reads them.

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

namespace feedtune {

/// "0-3,8" -> {0, 1, 2, 3, 8}, blanks around it or not; what is no such list gives nothing.
std::optional<std::set<int>> parse_cpu_list(std::string_view text);

/// The bytes of "Key:    123 kB", a line of /proc/meminfo or /proc/PID/status. Nothing where there is no such line.
std::optional<std::int64_t> kib_line_bytes(std::string_view text, std::string_view key);

}  // namespace feedtune
