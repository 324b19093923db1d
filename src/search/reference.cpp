#include "search/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace feedtune {

Configuration pick_reference(std::span<const Configuration> space, double effective_cpus) {
  const auto distance = [&](const Configuration& configuration) {
    const auto batch = static_cast<double>(std::max<std::int64_t>(1, configuration.integer("batch_size").value_or(64)));
    const auto workers = static_cast<double>(configuration.integer("num_workers").value_or(0));
    // A batch too large may not fit, so it counts as further away than one too small.
    const double octaves = std::log2(batch / 64);
    return std::pair(octaves > 0 ? 2 * octaves : -octaves, std::abs(workers - effective_cpus));
  };
  return *std::min_element(space.begin(), space.end(), [&](const Configuration& a, const Configuration& b) {
    return distance(a) < distance(b);
  });
}

}  // namespace feedtune
