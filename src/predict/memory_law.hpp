#pragma once
// How much device memory a configuration takes, learnt from those that were measured: m0 + m1 B (METHOD.md 2.2).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.hpp"
#include "core/trial.hpp"

namespace feedtune {

class MemoryLaw {
 public:
  /// Takes note of a trial's device peak and limit; one that did not report them says nothing.
  void tell(const TrialResult& result);
  /// Share of the device's memory; absent: not known of configurations like this one (what isn't about loading has to be
  /// the same; batch sizes are interpolated, and with two of them known extrapolated).
  std::optional<double> device_share(const Configuration& configuration) const;

 private:
  std::map<std::string, std::map<double, double>> peaks_;  ///< group -> batch size -> bytes
  std::optional<double> limit_;
};

}  // namespace feedtune
