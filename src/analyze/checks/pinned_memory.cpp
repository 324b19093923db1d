#include <fmt/format.h>

#include "analyze/check.hpp"
#include "core/batch_slots.hpp"
#include "core/bytes_text.hpp"

namespace feedtune {
namespace {

/// The NVIDIA driver does not count what it pins against this limit; mlock, and with it virtual devices, io_uring and RDMA, do.
CheckVerdict judge(const CheckInput& in) {
  const double need = static_cast<double>(in.setting.batch_bytes()) * static_cast<double>(in.setting.batches_ahead() + batches_in_flight);
  const std::string needed = fmt::format("pinned batch buffers at num_workers {}, prefetch {}, batch_size {} take {}", in.setting.num_workers,
                                         in.setting.prefetch, in.setting.batch_size, bytes_text(need));
  if (in.text("memlock_bytes") == "unlimited") return {CheckStatus::ok, "locked memory is unlimited; " + needed};
  const auto limit = in.integer("memlock_bytes");
  if (!limit) return {CheckStatus::unknown, in.why_unknown("memlock_bytes")};
  const std::string evidence = fmt::format("{} may be locked; {}", bytes_text(static_cast<double>(*limit)), needed);
  if (static_cast<double>(*limit) >= need) return {CheckStatus::ok, evidence};
  return {CheckStatus::warn, evidence, "raise the limit (ulimit -l, memlock in limits.conf, docker run --ulimit memlock=-1); CUDA's own pinned memory is not bound by it"};
}

}  // namespace

Check make_pinned_memory() { return {"pinned_memory", judge}; }

}  // namespace feedtune
