#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "machine/root.hpp"

namespace feedtune {

/// A folder that looks like the root of some machine; removed with the object.
class FakeRoot {
 public:
  FakeRoot() {
    std::string pattern = (std::filesystem::temp_directory_path() / "feedtune-root-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~FakeRoot() { std::filesystem::remove_all(folder_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  FakeRoot& file(const std::string& path, const std::string& text) {
    const auto full = folder_ / path.substr(1);
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << text;
    return *this;
  }
  Root root() const { return Root(folder_.string()); }

  /// Online CPUs, and the affinity mask as the kernel prints it.
  FakeRoot& cpus(const std::string& online, const std::string& mask) {
    file("/sys/devices/system/cpu/online", online + "\n");
    return file("/proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t" + mask + "\nVmHWM:\t    1604 kB\n");
  }

 private:
  std::filesystem::path folder_;
};

inline const std::string unified_mount = "25 24 0:22 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

}  // namespace feedtune
