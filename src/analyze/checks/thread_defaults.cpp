#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

/// Threads that OMP_NUM_THREADS asks for ("4", or "4,2" by nesting level: the first).
std::optional<std::int64_t> omp_threads(const std::map<std::string, std::string>& environment) {
  const auto found = environment.find("OMP_NUM_THREADS");
  if (found == environment.end()) return std::nullopt;
  std::int64_t threads = 0;
  const auto& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  const bool sound = error == std::errc() && threads > 0 && (end == text.data() + text.size() || *end == ',');
  return sound ? std::optional(threads) : std::nullopt;
}

CheckVerdict judge(const CheckInput& in) {
  const CpuLimit& cpus = in.machine.cpus;
  const auto workers = std::max<std::int64_t>(1, in.setting.num_workers);
  const auto set = omp_threads(in.environment);
  const std::int64_t threads = set.value_or(cpus.affinity);
  const double wanted = static_cast<double>(workers) * static_cast<double>(threads);
  const std::string evidence = fmt::format("{}: {} worker processes x {} threads for {:.3g} CPUs",
                                           set ? fmt::format("OMP_NUM_THREADS={}", threads) : "OMP_NUM_THREADS is not set, so libraries start a thread for every CPU they see",
                                           workers, threads, cpus.effective);
  if (wanted <= 2 * cpus.effective) return {CheckStatus::ok, evidence};
  // Only libraries that are used in the workers do it, and torch sets its own threads there to 1: likely, not certain.
  return {CheckStatus::warn, evidence,
          "export OMP_NUM_THREADS=1 for the loader, and call cv2.setNumThreads(0) and torch.set_num_threads(1) in each worker"};
}

}  // namespace

Check make_thread_defaults() { return {"thread_defaults", judge}; }

}  // namespace feedtune
