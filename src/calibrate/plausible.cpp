#include "calibrate/plausible.hpp"

#include <fmt/format.h>

namespace feedtune {

std::vector<std::string> implausible(const DeviceProfile& measured, const DeviceProfile& published) {
  std::vector<std::string> found;
  const auto judge = [&](const std::string& what, const Figure& ours, const Figure& theirs) {
    const double most = theirs.provenance.high, share = ours.value / most;
    if (share >= least_share_of_published && share <= most_share_of_published) return;
    found.push_back(fmt::format("{}: {:.4g} measured, {:.2f} times the most that is published ({:.4g}, profile {}); {}", what, ours.value, share, most, published.name,
                                share > 1 ? "no such GPU does that: is it this GPU, and is its clock right?"
                                          : "was the GPU, its link or its clock held by something else?"));
  };
  for (const auto& [precision, figure] : measured.peak_tflops)
    if (const auto peak = published.peak_tflops.find(precision); peak != published.peak_tflops.end()) judge("GEMM in " + precision + ", TFLOP/s", figure, peak->second);
  judge("memory bandwidth, GB/s", measured.memory_bandwidth_gb_s, published.memory_bandwidth_gb_s);
  if (measured.pinned_h2d_gb_s && published.pinned_h2d_gb_s) judge("copies from pinned memory, GB/s", *measured.pinned_h2d_gb_s, *published.pinned_h2d_gb_s);
  return found;
}

}  // namespace feedtune
