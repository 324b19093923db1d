#include <sys/statvfs.h>

#include "machine/facts.hpp"
#include "machine/memory.hpp"

namespace feedtune {

void add_memory_facts(const Root& root, FactMap& facts) {
  facts["memory_bytes"] = integer_fact(meminfo_bytes(root, "MemTotal"), "/proc/meminfo MemTotal", "can't be read");
  facts["memory_available_bytes"] =
      integer_fact(available_memory_bytes(root), "/proc/meminfo MemAvailable and control groups", "can't be read");
  const auto limit = cgroup_memory_limit(root);
  facts["memory_limit_bytes"] = limit ? known(limit->bytes, limit->by) : unknown_fact("control groups", "no limit");
  facts["memlock_bytes"] = limit_fact(root, "Max locked memory");

  struct statvfs shm {};
  const bool found = ::statvfs(root.path("/dev/shm").c_str(), &shm) == 0;
  facts["shm_bytes"] = integer_fact(
      found ? std::optional<std::int64_t>(static_cast<std::int64_t>(shm.f_blocks) * static_cast<std::int64_t>(shm.f_frsize))
            : std::nullopt,
      "/dev/shm", "not there");
}

}  // namespace feedtune
