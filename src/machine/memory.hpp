#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/cgroup.hpp"
#include "machine/root.hpp"

namespace feedtune {

/// The least memory limit of this process's control groups.
struct MemoryLimit {
  std::int64_t bytes = 0;
  std::string by;  ///< "cgroup v2 /a/b"
};
std::optional<MemoryLimit> cgroup_memory_limit(const Root& root = Root());

/// All that this process's machine has, or its control groups allow; nothing where neither can be read.
std::optional<std::int64_t> whole_memory_bytes(const Root& root = Root());

/// Memory that a new user could have without swapping: MemAvailable, and what each control group's limit leaves above its
/// use (page cache that can be dropped not counted as use). Which groups have a limit is looked up once, so that asking
/// costs a file or a few. Safe from many threads.
class AvailableMemory {
 public:
  explicit AvailableMemory(Root root = Root());
  /// Nothing where it can't be read.
  std::optional<std::int64_t> bytes() const;

 private:
  Root root_;
  std::vector<CgroupFolder> limited_;
};
inline std::optional<std::int64_t> available_memory_bytes(const Root& root = Root()) { return AvailableMemory(root).bytes(); }

/// A value of /proc/meminfo, in bytes.
std::optional<std::int64_t> meminfo_bytes(const Root& root, std::string_view key);

}  // namespace feedtune
