#include "machine/oom_kills.hpp"

#include "machine/cgroup.hpp"

namespace feedtune {
namespace {

/// The value of a line "oom_kill 3".
std::optional<std::int64_t> count_in(const Root& root, const std::string& path) {
  const auto text = root.read(path);
  const auto value = text ? find_value(*text, "oom_kill", ' ') : std::nullopt;
  return value ? parse_integer(*value) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> oom_kills(const Root& root) {
  // A v1 group does not count what its ancestors' limits kill; where a v2 ancestor counts the same again, it rises too.
  std::optional<std::int64_t> sum;
  for (const auto& group : cgroup_ancestry(root, "memory"))
    if (const auto count = count_in(root, group.folder + (group.version == 1 ? "/memory.oom_control" : "/memory.events")))
      sum = sum.value_or(0) + *count;
  return sum ? sum : count_in(root, "/proc/vmstat");
}

}  // namespace feedtune
