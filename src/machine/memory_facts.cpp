#include <sys/statvfs.h>

#include "machine/facts.hpp"
#include "machine/memory.hpp"
#include "machine/oom_kills.hpp"

namespace feedtune {
namespace {

constexpr const char* unreadable = "can't be read";

void add_shared_memory(const Root& root, FactMap& facts) {
  struct statvfs shm {};
  const bool found = ::statvfs(root.path("/dev/shm").c_str(), &shm) == 0;
  const auto bytes = [&](auto blocks) {
    return integer_fact(found ? std::optional(static_cast<std::int64_t>(blocks) * static_cast<std::int64_t>(shm.f_frsize)) : std::nullopt,
                        "/dev/shm", "not there");
  };
  facts["shm_bytes"] = bytes(shm.f_blocks);
  facts["shm_free_bytes"] = bytes(shm.f_bavail);
}

void add_swap(const Root& root, FactMap& facts) {
  const auto total = meminfo_bytes(root, "SwapTotal"), left = meminfo_bytes(root, "SwapFree");
  facts["swap_bytes"] = integer_fact(total, "/proc/meminfo SwapTotal", unreadable);
  const bool sound = total && left && *left >= 0 && *left <= *total;
  facts["swap_used_bytes"] = integer_fact(sound ? std::optional(*total - *left) : std::nullopt, "/proc/meminfo SwapTotal, SwapFree", unreadable);
}

/// Reserved ones ("HugePages_Total: 64" of "Hugepagesize: 2048 kB"), and whether ordinary memory gets them.
void add_huge_pages(const Root& root, FactMap& facts) {
  const auto meminfo = root.read("/proc/meminfo");
  const auto text = meminfo ? find_value(*meminfo, "HugePages_Total", ':') : std::nullopt;
  const std::int64_t pages = text ? parse_integer(*text).value_or(-1) : -1;
  const std::int64_t size = meminfo_bytes(root, "Hugepagesize").value_or(0);
  const bool sound = pages >= 0 && size > 0 && pages < (std::int64_t{1} << 62) / size;
  facts["huge_pages_bytes"] = integer_fact(sound ? std::optional(pages * size) : std::nullopt, "/proc/meminfo HugePages_Total, Hugepagesize",
                                           meminfo ? "a kernel without huge pages" : unreadable);
  const std::string source = "/sys/kernel/mm/transparent_hugepage/enabled";  // "always [madvise] never"
  const auto modes = root.read_line(source);
  std::optional<std::string> chosen;
  if (modes) {
    const auto open = modes->find('['), close = modes->find(']');
    if (open != std::string::npos && close != std::string::npos && open < close) chosen = modes->substr(open + 1, close - open - 1);
  }
  facts["transparent_huge_pages"] = text_fact(chosen, source, modes ? "no mode is marked in it" : unreadable);
}

}  // namespace

void add_memory_facts(const Root& root, FactMap& facts) {
  facts["memory_bytes"] = integer_fact(meminfo_bytes(root, "MemTotal"), "/proc/meminfo MemTotal", unreadable);
  facts["memory_available_bytes"] =
      integer_fact(available_memory_bytes(root), "/proc/meminfo MemAvailable and control groups", unreadable);
  const auto limit = cgroup_memory_limit(root);
  facts["memory_limit_bytes"] = limit ? known(limit->bytes, limit->by) : unknown_fact("control groups", "no limit");
  facts["memlock_bytes"] = limit_fact(root, "Max locked memory");
  facts["oom_kills"] = integer_fact(oom_kills(root), "memory.events of the control groups, /proc/vmstat", "nobody counts them");
  add_shared_memory(root, facts);
  add_swap(root, facts);
  add_huge_pages(root, facts);
}

}  // namespace feedtune
