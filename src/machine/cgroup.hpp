#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "machine/root.hpp"

namespace feedtune {

/// One of the control groups that hold this process.
struct CgroupFolder {
  int version = 2;
  std::string name;    ///< as the process sees it, "/a/b"
  std::string folder;  ///< on the machine, "/sys/fs/cgroup/cpu/a/b"
  std::string text() const;  ///< "cgroup v1 /a/b"
};

/// This process's group for a controller ("cpu", "cpuset", "memory"), then that group's ancestors up to the outermost
/// that can be seen: a limit of any of them holds. A v1 hierarchy of the controller first, then the unified one (on a
/// hybrid machine the latter has no files of a controller that v1 has). Empty where there are no control groups.
///
/// In a container the path in /proc/self/cgroup may be the host's while the mount shows only the container's part:
/// the mount's own root (/proc/self/mountinfo) is taken off the front.
std::vector<CgroupFolder> cgroup_ancestry(const Root& root, std::string_view controller);

}  // namespace feedtune
