#include <fmt/format.h>

#include "analyze/check.hpp"
#include "core/bytes_text.hpp"

namespace feedtune {
namespace {

/// PyTorch's workers hand batches over in /dev/shm: those ahead, and one that each worker is filling.
CheckVerdict judge(const CheckInput& in) {
  const DoctorSetting& s = in.setting;
  const double need = static_cast<double>(s.batch_bytes()) * static_cast<double>(s.batches_ahead() + s.num_workers);
  const auto free = in.integer("shm_free_bytes");
  if (!free) return {CheckStatus::unknown, in.why_unknown("shm_free_bytes"), "a PyTorch DataLoader with workers needs /dev/shm"};
  const std::string evidence =
      fmt::format("{} free in /dev/shm; a PyTorch DataLoader with num_workers {}, prefetch_factor {}, batch_size {} holds up to {} there ({} a batch)",
                  bytes_text(static_cast<double>(*free)), s.num_workers, s.prefetch, s.batch_size, bytes_text(need), bytes_text(static_cast<double>(s.batch_bytes())));
  const std::string advice = "give the container a larger /dev/shm (docker run --shm-size, or an emptyDir with medium Memory), or lower prefetch_factor";
  if (need > static_cast<double>(*free)) return {CheckStatus::bad, evidence, advice};
  if (need > 0.5 * static_cast<double>(*free)) return {CheckStatus::warn, evidence, advice};
  return {CheckStatus::ok, evidence};
}

}  // namespace

Check make_shared_memory() { return {"shared_memory", judge}; }

}  // namespace feedtune
