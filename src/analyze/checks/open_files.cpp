#include <fmt/format.h>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

/// PyTorch's default sharing keeps a descriptor open for every tensor on its way (images and labels), and a few a worker
/// for its queues; the rest is what a training program has open anyway.
CheckVerdict judge(const CheckInput& in) {
  constexpr std::int64_t tensors_a_batch = 2, queues_a_worker = 8, others = 128;
  const auto need = tensors_a_batch * (in.setting.batches_ahead() + in.setting.num_workers) + queues_a_worker * in.setting.num_workers + others;
  if (in.text("open_files") == "unlimited") return {CheckStatus::ok, "the number of open files is unlimited"};
  const auto limit = in.integer("open_files");
  if (!limit) return {CheckStatus::unknown, in.why_unknown("open_files")};
  const std::string evidence = fmt::format("{} files may be open; a DataLoader with num_workers {}, prefetch_factor {} may need about {}", *limit,
                                           in.setting.num_workers, in.setting.prefetch, need);
  const std::string advice = "raise it (ulimit -n 65536), or torch.multiprocessing.set_sharing_strategy('file_system')";
  if (need > *limit) return {CheckStatus::bad, evidence, advice};
  return 2 * need > *limit ? CheckVerdict{CheckStatus::warn, evidence, advice} : CheckVerdict{CheckStatus::ok, evidence};
}

}  // namespace

Check make_open_files() { return {"open_files", judge}; }

}  // namespace feedtune
