#include "space/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/counted.hpp"
#include "core/error.hpp"
#include "core/nearest.hpp"
#include "space/recorded_space.hpp"

namespace feedtune {
namespace {

void check_selections(const AxisSelections& selections, const SpaceContext& context) {
  for (const auto& [name, values] : selections) {
    const std::string place = "axes." + name;
    const Axis& axis = axis_named(name, place);
    if (values.empty()) throw SpecError(place, fmt::format("no values, want a list of {}", axis.accepted));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string wrong = axis.reject(values[i], context);
      if (!wrong.empty()) throw SpecError(fmt::format("{}[{}]", place, i), wrong);
      const auto here = values.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::find(values.begin(), here, values[i]) != here)
        throw SpecError(fmt::format("{}[{}]", place, i), to_text(values[i]) + " is listed twice");
    }
  }
}

/// Walks the valid configurations. An axis is set after those it depends on and left out where it collapses, so no
/// configuration comes twice.
class Enumeration {
 public:
  Enumeration(const AxisSelections& selections, const SpaceContext& context) : context_(context) {
    for (const Axis& axis : ordered_axes()) {
      const auto selected = selections.find(axis.name);
      if (selected != selections.end()) values_.push_back(selected->second);
      else if (axis.swept_by_default) values_.push_back(axis.defaults(context));
      else values_.emplace_back();
    }
  }

  /// As a floating-point number: a product of lists overflows integers. Axes that no other depends on only multiply.
  double count() const {
    Configuration configuration;
    return count_from(0, configuration);
  }
  std::vector<Configuration> all() const {
    std::vector<Configuration> found;
    Configuration configuration;
    collect_from(0, configuration, found);
    return found;
  }

 private:
  static bool others_depend_on(const Axis& axis) {
    return std::any_of(ordered_axes().begin(), ordered_axes().end(), [&](const Axis& other) {
      return std::find(other.depends.begin(), other.depends.end(), axis.name) != other.depends.end();
    });
  }
  std::vector<AxisValue> values_at(std::size_t depth, const Configuration& configuration) const {
    if (!values_[depth].empty()) return values_[depth];
    return {ordered_axes()[depth].unswept(configuration, context_)};
  }

  double count_from(std::size_t depth, Configuration& configuration) const {
    if (depth == ordered_axes().size()) return 1;
    const Axis& axis = ordered_axes()[depth];
    if (!axis.collapse(configuration, context_).empty()) return count_from(depth + 1, configuration);
    const std::vector<AxisValue> values = values_at(depth, configuration);
    if (!others_depend_on(axis)) return static_cast<double>(values.size()) * count_from(depth + 1, configuration);
    double sum = 0;
    for (const AxisValue& value : values) {
      configuration.set(axis.name, value);
      sum += count_from(depth + 1, configuration);
    }
    configuration.erase(axis.name);
    return sum;
  }

  void collect_from(std::size_t depth, Configuration& configuration, std::vector<Configuration>& found) const {
    if (depth == ordered_axes().size()) {
      found.push_back(configuration);
      return;
    }
    const Axis& axis = ordered_axes()[depth];
    if (!axis.collapse(configuration, context_).empty()) return collect_from(depth + 1, configuration, found);
    for (const AxisValue& value : values_at(depth, configuration)) {
      configuration.set(axis.name, value);
      collect_from(depth + 1, configuration, found);
    }
    configuration.erase(axis.name);
  }

  const SpaceContext& context_;
  std::vector<std::vector<AxisValue>> values_;  ///< by position in ordered_axes(); empty: not swept
};

/// Leaves out what needs more than the usable share of the memory that `whose` names.
void leave_out_what_does_not_fit(SearchSpace& space, const std::function<std::optional<std::uint64_t>(const Configuration&)>& planned,
                                 std::int64_t memory_bytes, const char* whose) {
  const double usable = usable_memory_share * static_cast<double>(memory_bytes);
  std::set<std::int64_t> sizes;
  std::uint64_t least = 0;
  const auto too_large = [&](const Configuration& configuration) {
    const auto bytes = planned(configuration);
    if (!bytes || static_cast<double>(*bytes) <= usable) return false;
    least = least == 0 ? *bytes : std::min(least, *bytes);
    sizes.insert(configuration.integer("batch_size").value_or(0));
    return true;
  };
  const auto left_out = static_cast<std::int64_t>(std::erase_if(space.configurations, too_large));
  if (left_out == 0) return;
  const std::string limit = fmt::format("{:.0f} % of the {}'s {:.1f} GB", 100 * usable_memory_share, whose, static_cast<double>(memory_bytes) * 1e-9);
  if (space.configurations.empty())
    throw SpecError("axes.batch_size", fmt::format("nothing fits: batch size {} needs {:.1f} GB, more than {}",
                                                   *sizes.begin(), static_cast<double>(least) * 1e-9, limit));
  space.left_out.push_back(fmt::format("{} (batch size {}) would need more than {}", counted(left_out, "configuration"), fmt::join(sizes, ", "), limit));
}

void leave_out_what_does_not_fit(SearchSpace& space) {
  const SpaceContext& context = space.context;
  if (!space.selections.contains("batch_size") && context.planned_device_bytes && context.device.memory_bytes)
    leave_out_what_does_not_fit(space, context.planned_device_bytes, *context.device.memory_bytes, "device");
  if (context.planned_host_bytes && context.host_memory_bytes)
    leave_out_what_does_not_fit(space, context.planned_host_bytes, *context.host_memory_bytes, "host");
}

/// Says which axes mean nothing: everywhere, or in some configurations of an axis that the reader expects to see swept.
void note_collapsed(SearchSpace& space) {
  for (const Axis& axis : ordered_axes()) {
    std::map<std::string, std::size_t> reasons;
    std::size_t all = 0;
    for (const Configuration& configuration : space.configurations) {
      if (configuration.has(axis.name)) continue;
      ++reasons[axis.collapse(configuration, space.context)];
      ++all;
    }
    const bool everywhere = all == space.configurations.size();
    if (!everywhere && !axis.swept_by_default && !space.selections.contains(axis.name)) continue;
    for (const auto& [reason, count] : reasons)
      space.collapsed.push_back(count == space.configurations.size()
                                    ? fmt::format("{}: {}", axis.name, reason)
                                    : fmt::format("{}: {} ({} of {} configurations)", axis.name, reason, count,
                                                  space.configurations.size()));
  }
  std::sort(space.collapsed.begin(), space.collapsed.end());
}

}  // namespace

SearchSpace build_space(const AxisSelections& selections, const SpaceContext& context) {
  check_selections(selections, context);
  SearchSpace space;
  space.selections = selections;
  space.context = context;
  const Enumeration enumeration(selections, context);
  if (enumeration.count() > static_cast<double>(most_configurations))
    throw SpecError("axes", fmt::format("{:.0f} configurations, at most {} are possible; give fewer values", enumeration.count(),
                                        most_configurations));
  space.configurations = enumeration.all();
  std::sort(space.configurations.begin(), space.configurations.end());
  leave_out_what_does_not_fit(space);
  note_collapsed(space);
  return space;
}

Completed complete(const Configuration& given, const SearchSpace& space, const std::string& place) {
  if (space.recorded) return {.configuration = recorded_configuration(given, space, place), .dropped = {}};
  for (const auto& [name, value] : given.values()) {
    const std::string where = place + "." + name;
    const std::string wrong = axis_named(name, where).reject(value, space.context);
    if (!wrong.empty()) throw SpecError(where, wrong);
  }
  Completed completed;
  for (const Axis& axis : ordered_axes()) {
    const auto wanted = given.values().find(axis.name);
    const std::string collapsed = axis.collapse(completed.configuration, space.context);
    if (!collapsed.empty()) {
      if (wanted != given.values().end()) completed.dropped.push_back(fmt::format("{}: {}", axis.name, collapsed));
      continue;
    }
    const auto selected = space.selections.find(axis.name);
    if (wanted != given.values().end()) completed.configuration.set(axis.name, wanted->second);
    else if (selected != space.selections.end() && selected->second.size() == 1)
      completed.configuration.set(axis.name, selected->second.front());
    else completed.configuration.set(axis.name, axis.unswept(completed.configuration, space.context));
  }
  return completed;
}

TrialSetup apply(const Configuration& configuration, TrialSetup base) {
  static const SpaceContext anything_goes;
  for (const auto& [name, value] : configuration.values()) {
    const std::string place = "configuration." + name;
    const Axis& axis = axis_named(name, place);
    const std::string wrong = axis.reject(value, anything_goes);
    if (!wrong.empty()) throw InputError(place, wrong);
    axis.apply(base, value);
  }
  return base;
}

}  // namespace feedtune
