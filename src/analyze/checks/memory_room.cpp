#include <fmt/format.h>

#include "analyze/check.hpp"
#include "core/batch_slots.hpp"
#include "core/bytes_text.hpp"

namespace feedtune {
namespace {

CheckVerdict judge(const CheckInput& in) {
  const auto available = in.integer("memory_available_bytes");
  if (!available) return {CheckStatus::unknown, in.why_unknown("memory_available_bytes")};
  const double need = static_cast<double>(in.setting.batch_bytes()) * static_cast<double>(in.setting.batches_ahead() + in.setting.num_workers + batches_in_flight);
  const auto kills = in.integer("oom_kills").value_or(0);
  const auto limit = in.integer("memory_limit_bytes");
  std::string evidence = fmt::format("{} can be had{}; batches at num_workers {}, prefetch {}, batch_size {} take {}", bytes_text(static_cast<double>(*available)),
                                     limit ? fmt::format(" (limit {})", bytes_text(static_cast<double>(*limit))) : "", in.setting.num_workers,
                                     in.setting.prefetch, in.setting.batch_size, bytes_text(need));
  if (kills > 0) evidence += fmt::format("; {} killed for lack of memory so far", kills);
  const std::string advice = "lower batch_size, num_workers or prefetch, or give more memory; what is left over is the page cache that keeps the data warm";
  if (need > static_cast<double>(*available)) return {CheckStatus::bad, evidence, advice};
  if (kills > 0 || need > 0.5 * static_cast<double>(*available)) return {CheckStatus::warn, evidence, advice};
  return {CheckStatus::ok, evidence};
}

}  // namespace

Check make_memory_room() { return {"memory_room", judge}; }

}  // namespace feedtune
