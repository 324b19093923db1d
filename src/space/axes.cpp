// The axes in the order of their dependencies, and by name.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "space/space.hpp"

namespace feedtune {
namespace {

std::vector<Axis> in_order_of_dependencies(std::vector<Axis> axes) {
  std::vector<Axis> ordered;
  std::set<std::string> done;
  while (!axes.empty()) {
    const auto ready = std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) {
      return std::all_of(axis.depends.begin(), axis.depends.end(), [&](const auto& name) { return done.contains(name); });
    });
    if (ready == axes.end()) throw std::logic_error("axes depend on each other in a circle, or on one that isn't there");
    done.insert(ready->name);
    ordered.push_back(std::move(*ready));
    axes.erase(ready);
  }
  return ordered;
}

}  // namespace

const std::vector<Axis>& ordered_axes() {
  static const std::vector<Axis> axes = in_order_of_dependencies(all_axes());
  return axes;
}

const Axis& axis_named(const std::string& name, const std::string& place) {
  std::vector<std::string> known;
  for (const Axis& axis : ordered_axes()) {
    if (axis.name == name) return axis;
    known.push_back(axis.name);
  }
  std::sort(known.begin(), known.end());
  const std::string hint = did_you_mean(name, known);
  throw SpecError(place, fmt::format("unknown axis{} known: {}", hint.empty() ? ";" : hint, joined(known)));
}

}  // namespace feedtune
