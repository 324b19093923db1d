#pragma once
#include <string>

#include "machine/root.hpp"
#include "temporary_folder.hpp"

namespace feedtune {

/// A folder that looks like the root of some machine; removed with the object.
class FakeRoot {
 public:
  FakeRoot& file(const std::string& path, const std::string& text) {
    folder_.write(path.substr(1), text);
    return *this;
  }
  Root root() const { return Root(folder_.text()); }

  /// Online CPUs, and the affinity mask as the kernel prints it.
  FakeRoot& cpus(const std::string& online, const std::string& mask) {
    file("/sys/devices/system/cpu/online", online + "\n");
    return file("/proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t" + mask + "\nVmHWM:\t    1604 kB\n");
  }

 private:
  test::TemporaryFolder folder_;
};

inline const std::string unified_mount = "25 24 0:22 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

}  // namespace feedtune
