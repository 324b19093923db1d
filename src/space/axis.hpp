#pragma once
// An axis of the search space. One file in axes/ each, with one factory named after the file.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.hpp"
#include "core/facts.hpp"
#include "core/trial_setup.hpp"

namespace feedtune {

/// What default lists and constraints depend on.
struct SpaceContext {
  double effective_cpus = 1;
  DeviceFacts device;
  std::int64_t data_images = 0;
  std::optional<double> largest_batch;  ///< predicted to fit in device memory; absent: no limit known
  bool user_step = false;               ///< step times given by the user: the model's axes mean nothing
};

struct Axis {
  std::string name;
  std::string unit;     ///< "images", "workers", ""; for help and tables
  std::string summary;  ///< one line
  /// Values tried when the user says nothing; the first is the default where the axis is not swept.
  std::function<std::vector<AxisValue>(const SpaceContext&)> defaults;
  /// The single value taken where the axis is not swept, for a configuration (other axes set so far).
  std::function<AxisValue(const Configuration&, const SpaceContext&)> unswept;
  bool swept_by_default = false;
  /// Empty: fine. Else what is wrong and what is accepted ("got 0, want an integer >= 1").
  std::function<std::string(const AxisValue&, const SpaceContext&)> reject;
  /// Empty: the axis means something here. Else why it collapses ("cpu copies nothing").
  std::function<std::string(const Configuration&, const SpaceContext&)> collapse;
  std::function<void(TrialSetup&, const AxisValue&)> apply;
};

/// Every axis, from the files in axes/ (generated table, alphabetical).
std::vector<Axis> all_axes();

}  // namespace feedtune
