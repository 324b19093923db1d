#include "space/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/nearest.hpp"

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
      if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) != values.begin() + static_cast<std::ptrdiff_t>(i))
        throw SpecError(fmt::format("{}[{}]", place, i), to_text(values[i]) + " is listed twice");
    }
  }
}

/// Calls `visit` with every valid configuration. An axis is set after those it depends on and left out where it
/// collapses, so no configuration comes twice. `visit` returns false to stop.
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

  void run(const std::function<bool(const Configuration&)>& visit) {
    Configuration configuration;
    descend(0, configuration, visit);
  }

 private:
  bool descend(std::size_t depth, Configuration& configuration, const std::function<bool(const Configuration&)>& visit) {
    const std::vector<Axis>& axes = ordered_axes();
    if (depth == axes.size()) return visit(configuration);
    const Axis& axis = axes[depth];
    if (!axis.collapse(configuration, context_).empty()) return descend(depth + 1, configuration, visit);
    const std::vector<AxisValue> values =
        values_[depth].empty() ? std::vector{axis.unswept(configuration, context_)} : values_[depth];
    for (const AxisValue& value : values) {
      configuration.set(axis.name, value);
      if (!descend(depth + 1, configuration, visit)) return false;
    }
    configuration.erase(axis.name);
    return true;
  }

  const SpaceContext& context_;
  std::vector<std::vector<AxisValue>> values_;  ///< by position in ordered_axes(); empty: not swept
};

/// Leaves out what would need more device memory than there is, where feedtune chose the batch sizes itself.
void leave_out_what_does_not_fit(SearchSpace& space) {
  const SpaceContext& context = space.context;
  if (space.selections.contains("batch_size") || !context.planned_device_bytes || !context.device.memory_bytes) return;
  const double usable = usable_memory_share * static_cast<double>(*context.device.memory_bytes);
  std::set<std::int64_t> sizes;
  std::uint64_t least = 0;
  const auto too_large = [&](const Configuration& configuration) {
    const auto bytes = context.planned_device_bytes(configuration);
    if (!bytes || static_cast<double>(*bytes) <= usable) return false;
    least = least == 0 ? *bytes : std::min(least, *bytes);
    sizes.insert(configuration.integer("batch_size").value_or(0));
    return true;
  };
  const std::size_t left_out = std::erase_if(space.configurations, too_large);
  if (left_out == 0) return;
  const std::string limit = fmt::format("{:.0f} % of the device's {:.1f} GB", 100 * usable_memory_share,
                                        static_cast<double>(*context.device.memory_bytes) * 1e-9);
  if (space.configurations.empty())
    throw SpecError("axes.batch_size", fmt::format("nothing fits: batch size {} needs {:.1f} GB, more than {}",
                                                   *sizes.begin(), static_cast<double>(least) * 1e-9, limit));
  space.left_out.push_back(fmt::format("{} configurations (batch size {}) need more than {}", left_out,
                                       fmt::join(sizes, ", "), limit));
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
  Enumeration enumeration(selections, context);
  std::int64_t count = 0;
  enumeration.run([&](const Configuration&) { return ++count <= most_configurations; });
  if (count > most_configurations)
    throw SpecError("axes", fmt::format("more than {} configurations; give fewer values", most_configurations));
  space.configurations.reserve(static_cast<std::size_t>(count));
  enumeration.run([&](const Configuration& configuration) {
    space.configurations.push_back(configuration);
    return true;
  });
  std::sort(space.configurations.begin(), space.configurations.end());
  leave_out_what_does_not_fit(space);
  note_collapsed(space);
  return space;
}

Completed complete(const Configuration& given, const SearchSpace& space, const std::string& place) {
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

Configuration baseline(std::int64_t batch_size, const SearchSpace& space) {
  const Configuration given(std::map<std::string, AxisValue>{{"batch_size", batch_size},
                                                             {"loader", "batch_per_worker"},
                                                             {"num_workers", std::int64_t{0}},
                                                             {"host_memory", "pageable"},
                                                             {"decoder", "turbo_full"},
                                                             {"input_type", "float32"},
                                                             {"transfer", "blocking"},
                                                             {"sync", "none"}});
  return complete(given, space, "baseline").configuration;
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
