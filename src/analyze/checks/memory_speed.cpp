#include <fmt/format.h>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

CheckVerdict judge(const CheckInput& in) {
  const auto runs = in.integer("memory_mts"), rated = in.integer("memory_rated_mts");
  if (!runs || !rated) return {CheckStatus::unknown, in.why_unknown(runs ? "memory_rated_mts" : "memory_mts")};
  const std::string evidence = fmt::format("memory runs at {} MT/s; its modules are rated for {}", *runs, *rated);
  if (static_cast<double>(*runs) >= 0.95 * static_cast<double>(*rated)) return {CheckStatus::ok, evidence};
  return {CheckStatus::warn, evidence, "look for XMP or EXPO (desktops) or the memory speed (servers) in the firmware's setup; two modules a channel may force less"};
}

}  // namespace

Check make_memory_speed() { return {"memory_speed", judge}; }

}  // namespace feedtune
