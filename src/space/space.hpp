#pragma once
// Axes and constraints -> valid configurations. A configuration holds every axis that means something for it, swept or
// not, so that a result explains itself; an axis that means nothing is absent (collapsed).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/configuration.hpp"
#include "space/axis.hpp"

namespace feedtune {

/// Axis name -> the values to try. An axis with one value is fixed, one that is absent takes its default.
using AxisSelections = std::map<std::string, std::vector<AxisValue>>;

struct SearchSpace {
  std::vector<Configuration> configurations;  ///< sorted, each once; independent of the order in the selections
  std::vector<std::string> collapsed;  ///< "prefetch: pooled goes by ready_batches (4 of 12 configurations)"
  std::vector<std::string> left_out;   ///< what default lists would have tried, and why it isn't tried
  AxisSelections selections;
  SpaceContext context;
  /// The configurations are all there is (a replay's): none is completed, none applied to a set-up, and their axes may be
  /// ones that this feedtune does not know.
  bool recorded = false;
};

constexpr std::int64_t most_configurations = 1'000'000;
/// Share of the device's memory that default batch sizes keep to, and of the host's that all configurations do; the rest is headroom.
constexpr double usable_memory_share = 0.9;

/// Throws SpecError at "axes.NAME" or "axes.NAME[i]" for an unknown axis, an empty list, a value that cannot be, a value
/// listed twice; at "axes" for more than `most_configurations`; at "axes.batch_size" when nothing fits in memory. What needs more than the
/// host's memory is left out even where its values are given: where the device refuses, the host ends another program.
SearchSpace build_space(const AxisSelections& selections, const SpaceContext& context);

struct Completed {
  Configuration configuration;
  std::vector<std::string> dropped;  ///< axes that were given but mean nothing here: "prefetch: 0 workers load nothing ahead"
};
/// A configuration from some of its axes: the others are what the selections fix, else the default. `place` stands in
/// errors: "current" gives SpecError("current.num_worker", ...). Of a recorded space: recorded_configuration().
Completed complete(const Configuration& given, const SearchSpace& space, const std::string& place);

/// The set-up of one trial. Throws InputError for an axis or value that this feedtune doesn't know.
TrialSetup apply(const Configuration& configuration, TrialSetup base);

/// Every axis, those that others depend on first, else alphabetical.
const std::vector<Axis>& ordered_axes();
/// Throws SpecError(place, ...) with the nearest and all known names.
const Axis& axis_named(const std::string& name, const std::string& place);

}  // namespace feedtune
