#pragma once
// The space that a sweep of a made-up machine searches, and the fastest of it.

#include <optional>
#include <vector>

#include "replay/synthetic_machine.hpp"
#include "space/space.hpp"

namespace feedtune {

inline SpaceContext synthetic_context(const SyntheticMachine& machine) {
  Run header;
  machine.describe(header);
  SpaceContext context;
  context.effective_cpus = machine.effective_cpus();
  context.device = header.device;
  context.data_images = header.data.images;
  context.planned_device_bytes = [&machine](const Configuration& c) { return machine.planned_device_bytes(c); };
  return context;
}

/// `machine` outlives it.
inline SearchSpace synthetic_space(const SyntheticMachine& machine) { return build_space(machine.axes(), synthetic_context(machine)); }

struct TrueBest {
  Configuration configuration;
  double images_per_s = 0;
};

inline TrueBest true_best(const ReplayedMachine& machine, const std::vector<Configuration>& space) {
  TrueBest best;
  for (const Configuration& c : space)
    if (const auto rate = machine.true_images_per_s(c); rate && *rate > best.images_per_s) best = {c, *rate};
  return best;
}

}  // namespace feedtune
