#include "machine/memory.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/kernel_text.hpp"
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
  std::int64_t cache = 0;
  // Files that were read twice are "active", and can be dropped all the same: data that trials read again and again.
  for (const std::string name : {"inactive_file", "active_file"}) {
    const auto value = stat ? find_value(*stat, group.version == 1 ? "total_" + name : name, ' ') : std::nullopt;
    cache += value ? parse_integer(*value).value_or(0) : 0;
  }
  return std::max<std::int64_t>(0, *use - cache);
}

}  // namespace

std::optional<std::int64_t> meminfo_bytes(const Root& root, std::string_view key) {
  const auto meminfo = root.read("/proc/meminfo");
  return meminfo ? kib_line_bytes(*meminfo, key) : std::nullopt;
}

std::optional<MemoryLimit> cgroup_memory_limit(const Root& root) {
  std::optional<MemoryLimit> tightest;
  for (const auto& group : cgroup_ancestry(root, "memory")) {
    const auto limit = limit_of(root, group);
    if (limit && (!tightest || *limit < tightest->bytes)) tightest = MemoryLimit{*limit, group.text()};
  }
  return tightest;
}

std::optional<std::int64_t> whole_memory_bytes(const Root& root) {
  const auto total = meminfo_bytes(root, "MemTotal");
  const auto limit = cgroup_memory_limit(root);
  if (!limit) return total;
  return std::min(total.value_or(limit->bytes), limit->bytes);
}

AvailableMemory::AvailableMemory(Root root) : root_(std::move(root)) {
  for (auto& group : cgroup_ancestry(root_, "memory"))
    if (limit_of(root_, group)) limited_.push_back(std::move(group));
}

std::optional<std::int64_t> AvailableMemory::bytes() const {
  auto available = meminfo_bytes(root_, "MemAvailable");
  for (const auto& group : limited_) {
    const auto limit = limit_of(root_, group);
    const auto use = use_of(root_, group);
    if (!limit || !use) continue;
    const auto left = std::max<std::int64_t>(0, *limit - *use);
    available = std::min(available.value_or(std::numeric_limits<std::int64_t>::max()), left);
  }
  return available;
}

}  // namespace feedtune
