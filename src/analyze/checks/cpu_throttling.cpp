#include <fmt/format.h>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

constexpr double seldom = 0.01, often = 0.1;  // shares of the quota's periods

CheckVerdict judge(const CheckInput& in) {
  const auto periods = in.integer("quota_periods"), throttled = in.integer("quota_throttled_periods");
  if (!periods || !throttled) {
    if (!in.machine.cpus.quota) return {CheckStatus::ok, "no CPU quota"};
    return {CheckStatus::unknown, in.why_unknown("quota_throttled_periods")};
  }
  if (*periods == 0) return {CheckStatus::ok, "the quota has not been counted against yet"};
  const double share = static_cast<double>(*throttled) / static_cast<double>(*periods);
  const std::string evidence = fmt::format("the CPU quota was used up in {:.3g} % of its {} periods so far, {:.3g} s lost", 100 * share, *periods,
                                           static_cast<double>(in.integer("quota_throttled_ms").value_or(0)) / 1000);
  if (share < seldom) return {CheckStatus::ok, evidence};
  return {share < often ? CheckStatus::warn : CheckStatus::bad, evidence, "raise the quota, or run fewer workers and threads: every thread stops until the next period"};
}

}  // namespace

Check make_cpu_throttling() { return {"cpu_throttling", judge}; }

}  // namespace feedtune
