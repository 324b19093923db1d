#pragma once
// An axis of the search space. One file in axes/ each, with one factory named after the file.

#include <cstdint>
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
  DeviceFacts device;            ///< `memory_bytes` is the limit that planned bytes are held against
  std::int64_t data_images = 0;  ///< 0: unknown
  std::optional<std::int64_t> current_batch{};  ///< the batch size that the user trains with
  bool user_step = false;        ///< step times given by the user: the model's axes mean nothing
  std::string storage = "files"; ///< how the data at hand is read unless the axis says otherwise
  std::map<std::string, std::string> storage_missing{};  ///< value of that axis -> why this data does not have it
  /// Device bytes that a (complete) configuration will need; may be empty, may not know.
  std::function<std::optional<std::uint64_t>(const Configuration&)> planned_device_bytes;
  std::optional<std::int64_t> host_memory_bytes{};  ///< of the machine, or what its control groups allow; absent: not known
  /// Host bytes that its batches alone will need; may be empty.
  std::function<std::uint64_t(const Configuration&)> planned_host_bytes{};
};

/// Every function is pure. A `Configuration` argument holds at least the axes named in `depends` (unless collapsed).
struct Axis {
  std::string name;
  std::string unit;     ///< "images", "workers", ""; for help and tables
  std::string summary;  ///< one line
  std::string accepted; ///< "an integer >= 1", "pageable, pinned"; for help and error messages
  std::vector<std::string> depends{};  ///< axes that `unswept` and `collapse` look at; they are set before this one
  /// Values tried when the axis is swept and the user names none.
  std::function<std::vector<AxisValue>(const SpaceContext&)> defaults{};
  /// The single value taken where the axis is not swept.
  std::function<AxisValue(const Configuration&, const SpaceContext&)> unswept{};
  bool swept_by_default = false;
  /// Empty: fine. Else what is wrong and what is accepted ("got 0, want an integer >= 1").
  std::function<std::string(const AxisValue&, const SpaceContext&)> reject{};
  /// Empty: the axis means something here. Else why it collapses ("cpu copies nothing").
  std::function<std::string(const Configuration&, const SpaceContext&)> collapse{};
  std::function<void(TrialSetup&, const AxisValue&)> apply{};
};

/// Every axis, from the files in axes/ (generated table, alphabetical).
std::vector<Axis> all_axes();

}  // namespace feedtune
