#include "machine/cpu_limit.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "core/kernel_text.hpp"
#include "machine/cgroup.hpp"

namespace feedtune {
namespace {

using Cpus = std::set<int>;

std::optional<Cpus> read_cpus(const Root& root, const std::string& path) {
  const auto text = root.read_line(path);
  return text ? parse_cpu_list(*text) : std::nullopt;
}

Cpus common(const Cpus& a, const Cpus& b) {
  Cpus both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.begin()));
  return both;
}

std::optional<Cpus> online_cpus(const Root& root) {
  if (auto online = read_cpus(root, "/sys/devices/system/cpu/online")) return online;
  const auto cpuinfo = root.read("/proc/cpuinfo");  // a /sys that isn't mounted
  if (!cpuinfo) return std::nullopt;
  Cpus cpus;
  for (const auto line : split_lines(*cpuinfo)) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || trim(line.substr(0, colon)) != "processor") continue;
    if (const auto number = parse_integer(line.substr(colon + 1))) cpus.insert(static_cast<int>(*number));
  }
  if (cpus.empty()) return std::nullopt;
  return cpus;
}

/// The mask of sched_getaffinity, as the kernel prints it.
std::optional<Cpus> affinity_mask(const Root& root) {
  const auto status = root.read("/proc/self/status");
  if (!status) return std::nullopt;
  const auto list = find_value(*status, "Cpus_allowed_list", ':');
  return list ? parse_cpu_list(*list) : std::nullopt;
}

std::optional<Cpus> cpuset_of(const Root& root, const CgroupFolder& group) {
  const char* file = group.version == 1 ? "/cpuset.effective_cpus" : "/cpuset.cpus.effective";
  if (auto cpus = read_cpus(root, group.folder + file)) return cpus;
  return group.version == 1 ? read_cpus(root, group.folder + "/cpuset.cpus") : std::nullopt;
}

/// CPUs' worth of time per second, where the group has a quota.
std::optional<double> quota_of(const Root& root, const CgroupFolder& group) {
  std::optional<std::int64_t> quota_us, period_us;
  if (group.version == 1) {
    quota_us = root.read_integer(group.folder + "/cpu.cfs_quota_us");  // -1: none
    period_us = root.read_integer(group.folder + "/cpu.cfs_period_us");
  } else if (const auto text = root.read_line(group.folder + "/cpu.max")) {  // "max 100000" or "150000 100000"
    const auto parts = split(*text, " ");
    quota_us = parse_integer(parts[0]);
    period_us = parts.size() > 1 ? parse_integer(parts[1]) : 100'000;
  }
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

}  // namespace

CpuLimit cpu_limit(const Root& root) {
  CpuLimit limit;
  limit.limited_by = "unknown";
  const auto mask = affinity_mask(root);
  const auto online = online_cpus(root);
  if (online || mask) {
    Cpus usable = online ? *online : *mask;
    limit.online = static_cast<int>(usable.size());
    limit.limited_by = "online";
    const auto restrict_to = [&](const Cpus& allowed, const std::string& by) {
      const Cpus both = common(usable, allowed);
      if (both.empty() || both.size() >= usable.size()) return;  // empty: stale or contradictory, a process always has one
      usable = both;
      limit.limited_by = by;
    };
    // The mask lies within the cpuset; where both say the same, the cpuset is what would have to be changed.
    for (const auto& group : cgroup_ancestry(root, "cpuset"))
      if (const auto cpus = cpuset_of(root, group)) restrict_to(*cpus, group.text() + " (cpuset)");
    if (mask) restrict_to(*mask, "affinity");
    limit.affinity = static_cast<int>(usable.size());
    limit.effective = limit.affinity;
  }
  for (const auto& group : cgroup_ancestry(root, "cpu")) {
    const auto quota = quota_of(root, group);
    if (!quota) continue;
    if (!limit.quota || *quota < *limit.quota) limit.quota = quota;
    if (*quota < limit.effective) {
      limit.effective = *quota;
      limit.limited_by = group.text();
    }
  }
  return limit;
}

}  // namespace feedtune
