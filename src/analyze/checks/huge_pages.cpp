#include <fmt/format.h>

#include "analyze/check.hpp"
#include "core/bytes_text.hpp"

namespace feedtune {
namespace {

/// Below this a batch buffer's pages fit the second-level TLB of present processors (1,024 to 3,072 entries of 4 KiB).
constexpr std::int64_t small_buffer = std::int64_t{8} << 20;

CheckVerdict judge(const CheckInput& in) {
  const auto mode = in.text("transparent_huge_pages");
  if (!mode) return {CheckStatus::unknown, in.why_unknown("transparent_huge_pages")};
  const std::string evidence = fmt::format("transparent huge pages: {}; a batch is {}", *mode, bytes_text(static_cast<double>(in.setting.batch_bytes())));
  if (*mode != "never" || in.setting.batch_bytes() < small_buffer) return {CheckStatus::ok, evidence};
  return {CheckStatus::warn, evidence, "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled: large batch buffers then cost fewer page faults and TLB misses"};
}

}  // namespace

Check make_huge_pages() { return {"huge_pages", judge}; }

}  // namespace feedtune
