#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/root.hpp"

namespace feedtune {

/// A line of /proc/self/mountinfo.
struct Mount {
  std::string root;     ///< which part of the filesystem is mounted
  std::string point;
  std::string type;     ///< "ext4", "nfs4", "cgroup2", ...
  std::string options;  ///< of the filesystem; of a v1 cgroup its controllers are among them
  std::string device{};  ///< "8:1"; "0:30" and the like for a filesystem without a block device of its own
};

/// In the order of mounting; empty where it can't be read.
std::vector<Mount> read_mounts(const Root& root);

/// The mount that an absolute, normalised path lies in: the longest mount point, the last mounted of equals.
std::optional<Mount> mount_of(const std::vector<Mount>& mounts, std::string_view path);

/// "cpu,cpuacct" holds "cpu".
bool list_holds(std::string_view comma_separated, std::string_view item);

}  // namespace feedtune
