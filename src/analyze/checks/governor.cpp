#include <fmt/format.h>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

CheckVerdict judge(const CheckInput& in) {
  const auto governor = in.text("governor");
  if (!governor) return {CheckStatus::unknown, in.why_unknown("governor")};
  const std::string driver = in.text("frequency_driver").value_or("an unknown driver");
  const std::string evidence = fmt::format("governor {} of {}{}", *governor, driver, in.text("turbo") == "off" ? ", turbo off" : "");
  // Drivers that leave the choice to the processor reach full clocks under load with powersave too.
  const bool by_hardware = driver == "intel_pstate" || driver == "amd-pstate-epp";
  if (governor->find("powersave") != std::string::npos && !by_hardware)
    return {CheckStatus::bad, evidence, "powersave holds the lowest clock: cpupower frequency-set -g performance"};
  if (in.text("turbo") == "off") return {CheckStatus::warn, evidence, "the clock stays at its base: turn turbo on, unless it is off for steady measurements"};
  if (*governor == "performance") return {CheckStatus::ok, evidence};
  return {CheckStatus::ok, evidence + ": clocks rise under load"};
}

}  // namespace

Check make_governor() { return {"governor", judge}; }

}  // namespace feedtune
