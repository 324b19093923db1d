#include "predict/memory_law.hpp"

#include <algorithm>
#include <set>

#include "predict/affine.hpp"

namespace feedtune {
namespace {

/// All axes but those that change nothing on the device.
std::string group_of(const Configuration& configuration) {
  static const std::set<std::string> host_only = {"batch_size",     "num_workers", "host_memory", "pinning", "loader",   "prefetch",
                                                  "ready_batches", "decoder",     "worker_threads", "resize", "sync",
                                                  "model_threads", "storage",     "affinity"};
  Configuration device = configuration;
  for (const std::string& axis : host_only) device.erase(axis);
  return device.key();
}

}  // namespace

void MemoryLaw::tell(const TrialResult& result) {
  const auto batch = result.configuration.integer("batch_size");
  if (result.memory.device_limit_bytes && *result.memory.device_limit_bytes > 0)
    limit_ = static_cast<double>(*result.memory.device_limit_bytes);
  if (!batch || *batch < 1 || result.status != TrialStatus::ok || result.purpose != Purpose::trial) return;
  if (!result.memory.device_peak_bytes || *result.memory.device_peak_bytes <= 0) return;
  double& peak = peaks_[group_of(result.configuration)][static_cast<double>(*batch)];
  peak = std::max(peak, static_cast<double>(*result.memory.device_peak_bytes));
}

std::optional<double> MemoryLaw::device_share(const Configuration& configuration) const {
  const auto batch = configuration.integer("batch_size");
  const auto found = peaks_.find(group_of(configuration));
  if (!limit_ || !batch || found == peaks_.end()) return std::nullopt;
  const auto exact = found->second.find(static_cast<double>(*batch));
  if (exact != found->second.end()) return exact->second / *limit_;
  if (found->second.size() < 2) return std::nullopt;
  std::vector<double> sizes, bytes;
  for (const auto& [size, peak] : found->second) sizes.push_back(size), bytes.push_back(peak);
  return fit_line(sizes, bytes).at(static_cast<double>(*batch)) / *limit_;
}

}  // namespace feedtune
