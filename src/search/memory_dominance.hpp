#pragma once
// What ran out of memory says about configurations not tried yet.

#include <optional>
#include <vector>

#include "core/configuration.hpp"
#include "core/trial.hpp"

namespace feedtune {

/// If a configuration ran out of device memory, so will any with at least its batch size, bytes a value and input
/// buffers; if it ran out of host or pinned memory, any with at least its batch size, workers and batches ahead; so too
/// where nobody knows of which memory (a recorded run). Axes without a say in that memory are ignored, the others (unknown
/// ones too) have to be equal.
class MemoryDominance {
 public:
  /// Takes note of a result; anything but out of memory is ignored.
  void tell(const TrialResult& result);
  /// A configuration that ran out and needs no more than `configuration`; absent where none is known.
  std::optional<Configuration> ran_out(const Configuration& configuration) const;

 private:
  struct Failure {
    Configuration configuration;
    bool device = true;
  };
  std::vector<Failure> failures_;
};

}  // namespace feedtune
