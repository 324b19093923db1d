#include "search/coordinates.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace feedtune {
namespace {

std::optional<double> as_number(const AxisValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  const std::string& text = std::get<std::string>(value);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

/// Where each value of an axis lies.
struct Scale {
  GpAxis axis;
  std::map<AxisValue, double> places;
};

Scale scale_of(const std::set<AxisValue>& values) {
  Scale scale;
  std::map<double, double> numbers;  // value -> place
  for (const AxisValue& value : values)
    if (const auto number = as_number(value)) numbers[*number] = 0;
  const bool numeric = std::all_of(values.begin(), values.end(), [](const AxisValue& v) { return as_number(v).has_value(); });
  if (!numeric) {
    scale.axis.categorical = true;
    double next = 0;
    for (const AxisValue& value : values) scale.places[value] = next++;
    return scale;
  }
  if (numbers.begin()->first >= 0) {
    const auto smallest = numbers.upper_bound(0);
    for (auto& [number, place] : numbers)
      place = number > 0 ? std::log2(number) : (smallest == numbers.end() ? 0 : std::log2(smallest->first) - 1);
  } else {
    double rank = 0;
    for (auto& [number, place] : numbers) place = rank++;
  }
  const double low = numbers.begin()->second, span = numbers.rbegin()->second - low;
  for (const AxisValue& value : values) scale.places[value] = span > 0 ? (numbers.at(*as_number(value)) - low) / span : 0;
  return scale;
}

}  // namespace

Coordinates coordinates_of(std::span<const Configuration> space) {
  std::map<std::string, std::set<AxisValue>> values;
  std::map<std::string, std::size_t> present;
  for (const Configuration& configuration : space)
    for (const auto& [axis, value] : configuration.values()) {
      values[axis].insert(value);
      ++present[axis];
    }
  Coordinates coordinates;
  coordinates.points.resize(space.size());
  for (const auto& [axis, all] : values) {
    if (all.size() < 2 && present[axis] == space.size()) continue;
    const Scale scale = scale_of(all);
    coordinates.axes.push_back(scale.axis);
    for (std::size_t i = 0; i < space.size(); ++i) {
      const auto found = space[i].values().find(axis);
      coordinates.points[i].push_back(found == space[i].values().end() ? gp_absent : scale.places.at(found->second));
    }
  }
  return coordinates;
}

double distance(const std::vector<GpAxis>& axes, const GpPoint& a, const GpPoint& b) {
  double squared = 0;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const bool absent_a = std::isnan(a[axis]), absent_b = std::isnan(b[axis]);
    if (absent_a || absent_b)
      squared += absent_a == absent_b ? 0 : 1;
    else
      squared += axes[axis].categorical ? (a[axis] == b[axis] ? 0 : 1) : (a[axis] - b[axis]) * (a[axis] - b[axis]);
  }
  return std::sqrt(squared);
}

}  // namespace feedtune
