#include <fmt/format.h>

#include "analyze/check.hpp"
#include "core/bytes_text.hpp"

namespace feedtune {
namespace {

constexpr std::int64_t no_matter = 64'000'000;  // pages that idle programs left there long ago

CheckVerdict judge(const CheckInput& in) {
  const auto used = in.integer("swap_used_bytes"), total = in.integer("swap_bytes");
  if (!used || !total) return {CheckStatus::unknown, in.why_unknown("swap_used_bytes")};
  if (*total == 0) return {CheckStatus::ok, "no swap"};
  const std::string evidence = fmt::format("{} of {} swap in use", bytes_text(static_cast<double>(*used)), bytes_text(static_cast<double>(*total)));
  if (*used <= no_matter) return {CheckStatus::ok, evidence};
  return {CheckStatus::warn, evidence, "memory has run short: stop what holds it, or lower batch_size, num_workers and prefetch; a page that comes back from disk stalls a step"};
}

}  // namespace

Check make_swap() { return {"swap", judge}; }

}  // namespace feedtune
