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
  /// A symbolic link, relative as those in /sys are.
  FakeRoot& link(const std::string& path, const std::string& target) {
    const auto place = folder_.path() / path.substr(1);
    std::filesystem::create_directories(place.parent_path());
    std::filesystem::create_symlink(target, place);
    return *this;
  }
  /// An online CPU's place in the machine.
  FakeRoot& core(int cpu, int socket, int core) {
    const auto folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    return file(folder + "physical_package_id", std::to_string(socket) + "\n").file(folder + "core_id", std::to_string(core) + "\n");
  }
  /// A cache of a CPU, `kib` big.
  FakeRoot& cache(int cpu, int index, int level, const std::string& type, int kib, const std::string& shared) {
    const auto folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index) + "/";
    return file(folder + "level", std::to_string(level) + "\n").file(folder + "type", type + "\n")
        .file(folder + "size", std::to_string(kib) + "K\n").file(folder + "shared_cpu_list", shared + "\n");
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
