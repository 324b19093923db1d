#include <fmt/format.h>

#include <algorithm>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

CheckVerdict judge(const CheckInput& in) {
  const auto slots = in.integer("memory_slots"), populated = in.integer("memory_slots_populated");
  const auto channels = in.integer("memory_channels"), used = in.integer("memory_channels_populated");
  if (in.text("hypervisor").value_or("none") != "none")
    return {CheckStatus::unknown, "a virtual machine does not show its host's memory modules"};
  if (!populated) return {CheckStatus::unknown, in.why_unknown("memory_slots_populated"), "run doctor as root: only root may read the firmware's table"};
  const std::string modules = in.text("memory_modules").value_or(fmt::format("{} modules", *populated));
  const std::string empty = in.text("memory_slots_empty").value_or("not known");
  if (channels && used && *used < *channels)
    return {CheckStatus::bad, fmt::format("{} of {} memory channels have a module ({}; empty: {})", *used, *channels, modules, empty),
            fmt::format("move modules, or add some, so that each channel has one: bandwidth grows with the channels in use (up to {:.3g} times here)",
                        static_cast<double>(*channels) / static_cast<double>(std::max<std::int64_t>(1, *used)))};
  if (channels && used) return {CheckStatus::ok, fmt::format("all {} memory channels have a module ({})", *channels, modules)};
  // One module can be in one channel only, whatever the slots are called.
  if (slots && *populated == 1 && *slots > 1)
    return {CheckStatus::bad, fmt::format("1 of {} memory slots has a module ({}; empty: {})", *slots, modules, empty),
            "one module serves one channel: use two or more, in the slots that the board's manual names"};
  return {CheckStatus::unknown, fmt::format("{} modules; {}", *populated, in.why_unknown("memory_channels"))};
}

}  // namespace

Check make_memory_channels() { return {"memory_channels", judge}; }

}  // namespace feedtune
