#include "machine/memory.hpp"

#include <algorithm>
#include <limits>

#include "machine/cgroup.hpp"

namespace feedtune {
namespace {

/// v1 says "no limit" by the largest page-aligned number; anything beyond 2^60 is none.
constexpr std::int64_t no_limit_above = std::int64_t{1} << 60;

std::optional<std::int64_t> limit_of(const Root& root, const CgroupFolder& group) {
  const auto limit = root.read_integer(group.folder + (group.version == 1 ? "/memory.limit_in_bytes" : "/memory.max"));
  if (!limit || *limit > no_limit_above) return std::nullopt;  // v2's "max" is no integer
  return limit;
}

/// What the group holds and could not drop at once.
std::optional<std::int64_t> use_of(const Root& root, const CgroupFolder& group) {
  const auto use = root.read_integer(group.folder + (group.version == 1 ? "/memory.usage_in_bytes" : "/memory.current"));
  if (!use) return std::nullopt;
  const auto stat = root.read(group.folder + "/memory.stat");
  const auto cache = stat ? find_value(*stat, group.version == 1 ? "total_inactive_file" : "inactive_file", ' ') : std::nullopt;
  return std::max<std::int64_t>(0, *use - (cache ? parse_integer(*cache).value_or(0) : 0));
}

}  // namespace

std::optional<std::int64_t> meminfo_bytes(const Root& root, std::string_view key) {
  const auto meminfo = root.read("/proc/meminfo");
  const auto value = meminfo ? find_value(*meminfo, key, ':') : std::nullopt;  // "32931532 kB"
  const auto kib = value ? parse_integer(value->substr(0, value->find(' '))) : std::nullopt;
  if (!kib) return std::nullopt;
  return *kib * 1024;
}

std::optional<MemoryLimit> cgroup_memory_limit(const Root& root) {
  std::optional<MemoryLimit> tightest;
  for (const auto& group : cgroup_ancestry(root, "memory")) {
    const auto limit = limit_of(root, group);
    if (limit && (!tightest || *limit < tightest->bytes)) tightest = MemoryLimit{*limit, group.text()};
  }
  return tightest;
}

std::optional<std::int64_t> available_memory_bytes(const Root& root) {
  auto available = meminfo_bytes(root, "MemAvailable");
  for (const auto& group : cgroup_ancestry(root, "memory")) {
    const auto limit = limit_of(root, group);
    const auto use = use_of(root, group);
    if (!limit || !use) continue;
    const auto left = std::max<std::int64_t>(0, *limit - *use);
    available = std::min(available.value_or(std::numeric_limits<std::int64_t>::max()), left);
  }
  return available;
}

}  // namespace feedtune
