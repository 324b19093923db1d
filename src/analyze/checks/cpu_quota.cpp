#include <fmt/format.h>

#include <algorithm>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

CheckVerdict judge(const CheckInput& in) {
  const CpuLimit& cpus = in.machine.cpus;
  if (cpus.limited_by == "unknown") return {CheckStatus::unknown, "not even the online CPUs can be read"};
  const auto workers = in.setting.num_workers;
  const std::string evidence = fmt::format("{:.3g} of {} CPUs may be used (limited by {}); num_workers {}", cpus.effective, cpus.online, cpus.limited_by, workers);
  // Beyond two workers a CPU they only take turns; what reads from a slow disk may still want them.
  if (static_cast<double>(workers) > 2 * cpus.effective)
    return {CheckStatus::bad, evidence,
            fmt::format("lower num_workers to {:.0f}{}", std::max(1.0, cpus.effective), cpus.effective < cpus.online ? ", or raise the limit" : "")};
  if (cpus.effective < cpus.affinity)
    return {CheckStatus::warn, evidence,
            fmt::format("programs that count CPUs see {} and start too many threads: set num_workers and thread counts for {:.3g}, or raise the quota",
                        cpus.affinity, cpus.effective)};
  return {CheckStatus::ok, evidence};
}

}  // namespace

Check make_cpu_quota() { return {"cpu_quota", judge}; }

}  // namespace feedtune
