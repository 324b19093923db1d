#pragma once
#include <map>
#include <string>

#include "core/run.hpp"

namespace feedtune {

/// Mean of each phase's mean over a configuration's trials, in ms per step: the confirmed trials, else the search's.
/// A phase that no trial recorded is absent.
std::map<std::string, double> phase_means(const Run& run, const Configuration& configuration);

/// What holds a configuration back, from its own phases (the device's gaps decide, not the host's clock).
struct Bound {
  std::string by = "none";                   ///< loader, h2d, device, joint_cpu, none (nothing recorded)
  std::optional<double> waiting_share;       ///< of the step: the device waits for data
  std::optional<double> exposed_copy_share;  ///< of the step: only the copy runs
};

/// Over 5 % of the step without work: whichever takes more, waiting (loader) or copying (h2d). Else device. On a device
/// that shares the host's cores: joint_cpu where that ceiling is the lowest, since neither side could go faster alone.
Bound bound_of(const Run& run, const Configuration& configuration, const Ceilings& ceilings);

}  // namespace feedtune
