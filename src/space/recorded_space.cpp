#include "space/recorded_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/nearest.hpp"

namespace feedtune {
namespace {

bool matches(const Configuration& configuration, const Configuration& given) {
  return std::all_of(given.values().begin(), given.values().end(), [&](const auto& wanted) {
    const auto found = configuration.values().find(wanted.first);
    return found == configuration.values().end() || found->second == wanted.second;
  });
}

}  // namespace

SearchSpace recorded_space(std::vector<Configuration> configurations, const SpaceContext& context) {
  SearchSpace space;
  std::sort(configurations.begin(), configurations.end());
  std::map<std::string, std::set<AxisValue>> values;
  for (const Configuration& configuration : configurations)
    for (const auto& [axis, value] : configuration.values()) values[axis].insert(value);
  for (const auto& [axis, recorded] : values) space.selections[axis].assign(recorded.begin(), recorded.end());
  space.configurations = std::move(configurations);
  space.context = context;
  space.recorded = true;
  return space;
}

std::optional<Configuration> find_recorded(const Configuration& given, const SearchSpace& space) {
  const std::vector<Configuration>& all = space.configurations;
  if (std::binary_search(all.begin(), all.end(), given)) return given;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Configuration& c) { return matches(c, given); });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

Configuration recorded_configuration(const Configuration& given, const SearchSpace& space, const std::string& place) {
  std::vector<std::string> axes;
  for (const auto& [axis, values] : space.selections) axes.push_back(axis);
  for (const auto& [axis, value] : given.values()) {
    const auto recorded = space.selections.find(axis);
    if (recorded == space.selections.end())
      throw SpecError(place + "." + axis, fmt::format("not recorded{}; axes: {}", did_you_mean(axis, axes), joined(axes)));
    if (std::find(recorded->second.begin(), recorded->second.end(), value) != recorded->second.end()) continue;
    std::vector<std::string> values;
    for (const AxisValue& v : recorded->second) values.push_back(to_text(v));
    throw SpecError(place + "." + axis, fmt::format("{} was not recorded; values: {}", to_text(value), joined(values)));
  }
  if (auto found = find_recorded(given, space)) return *found;
  throw SpecError(place, fmt::format("no configuration with {} was recorded", given.key()));
}

}  // namespace feedtune
