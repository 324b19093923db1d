#pragma once
// A search space that is a list: what some machine measured once, whatever its axes are.

#include <optional>
#include <string>
#include <vector>

#include "space/space.hpp"

namespace feedtune {

/// `selections`: every value of every axis that is in the list.
SearchSpace recorded_space(std::vector<Configuration> configurations, const SpaceContext& context);

/// The configuration itself where it is recorded, else the first that has the value of each given axis or lacks the axis.
std::optional<Configuration> find_recorded(const Configuration& given, const SearchSpace& space);

/// find_recorded(), or SpecError(place, ...) with what was recorded instead.
Configuration recorded_configuration(const Configuration& given, const SearchSpace& space, const std::string& place);

}  // namespace feedtune
