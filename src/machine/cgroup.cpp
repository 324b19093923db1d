#include "machine/cgroup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "machine/mounts.hpp"

namespace feedtune {
namespace {

std::optional<Mount> find_mount(const std::vector<Mount>& mounts, std::string_view controller, int version) {
  for (const auto& mount : mounts)
    if (version == 2 ? mount.type == "cgroup2" : mount.type == "cgroup" && list_holds(mount.options, controller)) return mount;
  return std::nullopt;
}

/// Lines "4:memory:/path" (v1) and "0::/path" (v2).
std::optional<std::string> find_group(const std::string& cgroups, std::string_view controller, int version) {
  for (const auto line : split_lines(cgroups)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const bool matches = version == 2 ? line.substr(0, first) == "0" && controllers.empty() : list_holds(controllers, controller);
    if (matches) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

std::string below(const std::string& folder, const std::string& path) { return path == "/" ? folder : folder + path; }

void add_chain(const Root& root, const Mount& mount, std::string group, int version, std::vector<CgroupFolder>& chain) {
  if (mount.root != "/" && (group + "/").compare(0, mount.root.size() + 1, mount.root + "/") == 0) {
    group.erase(0, mount.root.size());
    if (group.empty()) group = "/";
  }
  // A group outside what is mounted (moved after the container began): its outermost visible ancestor is what is left.
  if (group.find("/..") != std::string::npos || !root.exists(below(mount.point, group))) group = "/";
  for (;;) {
    chain.push_back({.version = version, .name = group, .folder = below(mount.point, group)});
    if (group == "/") return;
    group.erase(std::max<std::size_t>(group.rfind('/'), 1));
  }
}

}  // namespace

std::string CgroupFolder::text() const { return fmt::format("cgroup v{} {}", version, name); }

std::vector<CgroupFolder> cgroup_ancestry(const Root& root, std::string_view controller) {
  std::vector<CgroupFolder> chain;
  const auto cgroups = root.read("/proc/self/cgroup");
  if (!cgroups) return chain;
  const auto mounts = read_mounts(root);
  for (const int version : {1, 2}) {
    const auto group = find_group(*cgroups, controller, version);
    const auto mount = find_mount(mounts, controller, version);
    if (group && mount) add_chain(root, *mount, *group, version, chain);
  }
  return chain;
}

}  // namespace feedtune
