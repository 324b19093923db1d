#include <fmt/format.h>

#include <algorithm>

#include "analyze/rule.hpp"

namespace feedtune {
namespace {

/// A process that can use its CPUs leaves no more than this of them idle while its threads wait for one.
constexpr double used_if_free = 0.8;
/// Above it the quota explains the waiting (rule throttled_by_quota).
constexpr double most_throttled = 0.05;

std::optional<RuleFinding> judge(const RuleInput& in) {
  const auto used = cpus_used(in.trial);
  const HostUse& host = in.trial.host;
  if (!used || !host.run_delay_s || !(*used > 0) || *used > used_if_free * in.cpus()) return std::nullopt;
  if (host.throttled_s.value_or(0) > most_throttled * *host.window_s) return std::nullopt;
  const double delay = *host.run_delay_s / *host.window_s;
  // Threads that wait although CPUs are left over: others use those. What is lost is at most what would fill them.
  const double taken = std::min(delay, in.cpus() - *used);
  const double share = in.exposure.data * taken / (taken + *used);
  if (share < least_share || taken < (1 - used_if_free) * in.cpus()) return std::nullopt;
  return RuleFinding{"other programs take the CPUs that the loader could use",
                     {in.waiting_text(), fmt::format("{:.2g} of {:.3g} CPUs in use by the trial while {:.2g} of its threads wait for one at any time", *used, in.cpus(), delay)},
                     share, no_gain("no setting frees a CPU that another program uses"),
                     "find what runs beside it (top, other containers of this machine), stop it or set CPUs apart, and measure again"};
}

}  // namespace

Rule make_cpu_taken() { return {"cpu_taken", Rule::Kind::cause, Part::loading, judge}; }

}  // namespace feedtune
