#include "space/axis_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/nearest.hpp"

namespace feedtune {
namespace {

std::string quoted(const AxisValue& value) {
  return std::holds_alternative<std::string>(value) ? '"' + to_text(value) + '"' : to_text(value);
}

}  // namespace

Axis integer_axis(IntegerAxis spec) {
  Axis axis;
  axis.name = spec.name;
  axis.unit = spec.unit;
  axis.summary = spec.summary;
  axis.accepted = fmt::format("an integer >= {}", spec.least);
  axis.depends = spec.depends;
  axis.defaults = [defaults = spec.defaults](const SpaceContext& context) {
    const std::vector<std::int64_t> numbers = defaults(context);
    return std::vector<AxisValue>(numbers.begin(), numbers.end());
  };
  axis.unswept = [unswept = spec.unswept](const Configuration& configuration, const SpaceContext& context) {
    return AxisValue(unswept(configuration, context));
  };
  axis.swept_by_default = spec.swept_by_default;
  axis.reject = [least = spec.least, most = spec.most, accepted = axis.accepted](const AxisValue& value,
                                                                                 const SpaceContext&) -> std::string {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < least) return fmt::format("got {}, want {}", quoted(value), accepted);
    if (*number > most) return fmt::format("got {}, want at most {}", *number, most);
    return {};
  };
  axis.collapse = spec.collapse ? spec.collapse : always(std::string());
  axis.apply = [set = spec.set](TrialSetup& setup, const AxisValue& value) {
    set(setup, static_cast<int>(std::get<std::int64_t>(value)));
  };
  return axis;
}

Axis text_axis(TextAxis spec) {
  Axis axis;
  axis.name = spec.name;
  axis.summary = spec.summary;
  axis.accepted = joined(spec.accepted);
  axis.depends = spec.depends;
  if (!spec.lacks) spec.lacks = [](const std::string&, const SpaceContext&) { return std::string(); };
  axis.defaults = [accepted = spec.accepted, lacks = spec.lacks](const SpaceContext& context) {
    std::vector<AxisValue> values;
    for (const std::string& value : accepted)
      if (lacks(value, context).empty()) values.emplace_back(value);
    return values;
  };
  axis.unswept = [unswept = spec.unswept](const Configuration& configuration, const SpaceContext& context) {
    return AxisValue(unswept(configuration, context));
  };
  axis.swept_by_default = spec.swept_by_default;
  axis.reject = [accepted = spec.accepted, lacks = spec.lacks](const AxisValue& value,
                                                               const SpaceContext& context) -> std::string {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return fmt::format("got {}, want one of {}", to_text(value), joined(accepted));
    if (std::find(accepted.begin(), accepted.end(), *text) == accepted.end()) {
      const std::string hint = did_you_mean(*text, accepted);
      return fmt::format("got {}{} want one of {}", quoted(value), hint.empty() ? "," : hint, joined(accepted));
    }
    const std::string why = lacks(*text, context);
    return why.empty() ? "" : fmt::format("got {}, but {}", quoted(value), why);
  };
  axis.collapse = spec.collapse ? spec.collapse : always(std::string());
  axis.apply = [set = spec.set](TrialSetup& setup, const AxisValue& value) { set(setup, std::get<std::string>(value)); };
  return axis;
}

bool without_workers(const Configuration& configuration) { return configuration.integer("num_workers") == 0; }

bool has_text(const Configuration& configuration, const std::string& axis, const std::string& value) {
  return configuration.text(axis) == value;
}

}  // namespace feedtune
