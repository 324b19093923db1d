#include <algorithm>
#include <cmath>
#include <set>

#include "space/axis_kinds.hpp"

namespace feedtune {
namespace {

/// 0, the powers of two, and the effective CPUs once and twice.
std::vector<std::int64_t> default_worker_counts(const SpaceContext& context) {
  const auto cpus = std::max<std::int64_t>(1, std::llround(context.effective_cpus));
  const auto most = std::max<std::int64_t>(1, std::llround(2 * context.effective_cpus));
  std::set<std::int64_t> counts = {0, std::min(cpus, most), most};
  for (std::int64_t count = 1; count <= most; count *= 2) counts.insert(count);
  return {counts.begin(), counts.end()};
}

}  // namespace

Axis make_num_workers() {
  return integer_axis({.name = "num_workers",
                       .unit = "workers",
                       .summary = "loader workers; 0 loads inside the training thread, as PyTorch does",
                       .least = 0,
                       .most = 1024,
                       .defaults = default_worker_counts,
                       .unswept = always<std::int64_t>(0),
                       .swept_by_default = true,
                       .set = [](TrialSetup& setup, int value) { setup.loader.num_workers = value; }});
}

}  // namespace feedtune
