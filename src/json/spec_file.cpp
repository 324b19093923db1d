#include "json/spec_file.hpp"

#include <algorithm>

#include "core/parse.hpp"
#include "json/codec.hpp"

namespace feedtune {
namespace {

/// One option at a time: `take` runs `read` on the member `name` where there is one.
class Options {
 public:
  Options(const JsonValue& json, const Place& place) : json_(json), place_(place) { read_object(json, place); }

  template <class Read>
  void take(const char* name, const Read& read) {
    known_.emplace_back(name);
    if (const JsonValue* member = json_.find(name)) read(*member, Place(place_, name));
  }
  template <class T>
  void take(const char* name, std::optional<T>& out) {
    take(name, [&](const JsonValue& json, const Place& at) { read_value(json, at, out.emplace()); });
  }
  void finish() const { refuse_unknown(json_, place_, known_); }

 private:
  const JsonValue& json_;
  const Place& place_;
  std::vector<std::string> known_;
};

std::string text_of(const JsonValue& json, const Place& at, std::string_view want) {
  if (json.text() == nullptr) at.want(json, want);
  return *json.text();
}

std::string name_of(const JsonValue& json, const Place& at, std::string_view want) {
  std::string text = text_of(json, at, want);
  if (text.empty()) at.want(json, want);
  return text;
}

std::map<std::string, std::vector<AxisValue>> read_axes(const JsonValue& json, const Place& at) {
  std::map<std::string, std::vector<AxisValue>> axes;
  for (const auto& [name, list] : read_object(json, at)) {
    const Place axis_at(at, name);
    const auto& items = read_array(list, axis_at, "a list of values, as in [1, 2, 4]");
    if (items.empty()) axis_at.fail(list, "is empty, want at least one value");
    auto& values = axes[name];
    for (std::size_t i = 0; i < items.size(); ++i) {
      AxisValue value;
      read_axis_value(items[i], Place(axis_at, i), value);
      if (std::find(values.begin(), values.end(), value) != values.end())
        Place(axis_at, i).fail(items[i], to_text(value) + " stands twice");
      values.push_back(std::move(value));
    }
  }
  return axes;
}

Budget read_budget(const JsonValue& json, const Place& at) {
  constexpr std::string_view want = "\"5m\", \"200trials\" or {\"seconds\": 300, \"trials\": 200}";
  if (json.text() != nullptr) return parse_budget(*json.text(), at.text(json));
  if (json.object() == nullptr) at.want(json, want);
  Options options(json, at);
  Budget budget;
  options.take("seconds", [&](const JsonValue& value, const Place& place) {
    read_double(value, place, budget.seconds.emplace());
    if (!(*budget.seconds > 0)) place.want(value, "a number above 0");
  });
  options.take("trials", [&](const JsonValue& value, const Place& place) {
    budget.trials = read_signed(value, place, 1, std::numeric_limits<std::int64_t>::max());
  });
  options.finish();
  if (!budget.seconds && !budget.trials) at.want(json, want);
  return budget;
}

}  // namespace

SpecFile decode_spec(std::string_view text, const std::string& where) {
  const JsonValue json = parse_json(text, where);
  const Place place(where, true);
  SpecFile spec;
  std::optional<std::string> description;
  Options options(json, place);
  options.take("description", description);
  options.take("data", [&](const JsonValue& v, const Place& at) { spec.data = name_of(v, at, "a folder or a file list"); });
  options.take("device", [&](const JsonValue& v, const Place& at) {
    spec.device = name_of(v, at, "a device, as in \"cpu\" or \"virtual:rtx-4090\"");
  });
  options.take("model", [&](const JsonValue& v, const Place& at) { spec.model = name_of(v, at, "a model, as in \"mixer-s16\""); });
  options.take("step", [&](const JsonValue& v, const Place& at) {
    spec.step_times = parse_step_times(text_of(v, at, "times at batch sizes, as in \"85ms@64,150ms@128\""), at.text(v));
  });
  options.take("axes", [&](const JsonValue& v, const Place& at) { spec.axes = read_axes(v, at); });
  options.take("current", spec.current);
  options.take("strategy", [&](const JsonValue& v, const Place& at) { spec.strategy = name_of(v, at, "a strategy, as in \"grid\""); });
  options.take("budget", [&](const JsonValue& v, const Place& at) { spec.budget = read_budget(v, at); });
  options.take("trial_time", [&](const JsonValue& v, const Place& at) {
    spec.trial_time_s = parse_duration_s(text_of(v, at, "a time with its unit, as in \"3s\""), at.text(v));
  });
  options.take("cache", spec.cache);
  options.take("image_size", [&](const JsonValue& v, const Place& at) {
    spec.image_size = static_cast<int>(read_signed(v, at, smallest_image_size, largest_image_size));
  });
  options.take("seed", spec.seed);
  options.take("anchors", spec.anchors);
  options.take("within", [&](const JsonValue& v, const Place& at) {
    constexpr std::string_view want = "a share from 0 to 1, as in \"2%\" or 0.02";
    if (v.text() != nullptr) {
      spec.within = parse_share(*v.text(), at.text(v));
      return;
    }
    if (!std::holds_alternative<double>(v.data) && !std::holds_alternative<std::int64_t>(v.data)) at.want(v, want);
    read_double(v, at, spec.within.emplace());
    if (*spec.within < 0 || *spec.within > 1) at.want(v, want);
  });
  options.finish();
  return spec;
}

}  // namespace feedtune
