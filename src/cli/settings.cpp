#include "cli/settings.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <set>

#include "core/enums.hpp"
#include "core/error.hpp"
#include "core/parse.hpp"
#include "core/read_file.hpp"
#include "core/single_line.hpp"
#include "json/spec_file.hpp"

namespace feedtune {
namespace {

constexpr double default_budget_s = 300;

std::string variable_name(const std::string& option) {
  std::string name = "FEEDTUNE_";
  for (const char c : option) name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

template <class T>
T parse_integer(const std::string& text, const std::string& where, T low, T high) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    throw SpecError(where, fmt::format("got '{}', want an integer from {} to {}", text, low, high));
  return value;
}

std::string join_axis(const std::vector<AxisValue>& values) {
  std::string text;
  for (const auto& value : values) text.append(text.empty() ? "" : ",").append(to_text(value));
  return text;
}

std::string duration_text(double seconds) { return fmt::format("{}s", seconds); }

std::string budget_text(const Budget& budget) {
  std::string text;
  if (budget.seconds) text = duration_text(*budget.seconds);
  if (budget.trials) text += fmt::format("{}{}trials", text.empty() ? "" : " or ", *budget.trials);
  return text.empty() ? "none (to the end of the plan)" : text;
}

/// Where an option's text was found, and how its errors are named.
struct Found {
  std::string text;
  std::string where;
  std::string origin;
};

class Resolver {
 public:
  Resolver(const SweepArguments& arguments, const Environment& environment) : arguments_(arguments), environment_(environment) {}

  std::optional<Found> text_of(const std::string& option) const {
    if (const auto flag = arguments_.options.find(option); flag != arguments_.options.end())
      return Found{flag->second, "--" + option, "flag"};
    const std::string variable = variable_name(option);
    if (auto value = environment_(variable)) return Found{*value, variable, "environment"};
    return std::nullopt;
  }

  /// Sets `target` from flag or environment by `parse`, else from the spec file's value, else leaves the default.
  template <class T, class Parse>
  void take(const std::string& option, T& target, const std::optional<T>& from_file, Parse parse) {
    if (const auto found = text_of(option)) {
      target = parse(found->text, found->where);
      origin[option] = found->origin;
    } else if (from_file) {
      target = *from_file;
      origin[option] = "spec file";
    } else {
      origin[option] = "default";
    }
  }

  std::map<std::string, std::string> origin;

 private:
  const SweepArguments& arguments_;
  const Environment& environment_;
};

/// What was measured, and how, is the record's to say. What the environment holds for every sweep does no harm.
void refuse_what_replay_ignores(const std::map<std::string, std::string>& origins) {
  const std::set<std::string> ignored = {"data", "device", "model", "step", "trial-time", "cache", "image-size"};
  for (const auto& [option, origin] : origins) {
    const bool is_axis = option.starts_with("axis ");
    if ((!is_axis && !ignored.contains(option)) || (origin != "flag" && origin != "spec file")) continue;
    throw UsageError(fmt::format("{}{} cannot be given with --replay: what was recorded is what there is", is_axis || origin != "flag" ? "" : "--", option));
  }
}

Settings resolve(const SweepArguments& arguments, const Environment& environment) {
  SpecFile file;
  if (arguments.spec_file) file = decode_spec(read_file(*arguments.spec_file), *arguments.spec_file);

  Settings settings;
  Spec& spec = settings.spec;
  spec.device = "auto";
  Resolver from(arguments, environment);
  const auto plain = [](const std::string& text, const std::string& where) {
    if (text.empty()) throw SpecError(where, "got an empty text");
    return text;
  };

  from.take("data", spec.data, file.data, plain);
  from.take("device", spec.device, file.device, plain);
  from.take("model", spec.model, file.model, plain);
  from.take("step", spec.step_times, file.step_times.empty() ? std::nullopt : std::optional(file.step_times),
            [](const std::string& text, const std::string& where) { return parse_step_times(text, where); });
  Configuration current;
  from.take("current", current, file.current,
            [](const std::string& text, const std::string& where) { return parse_assignments(text, where); });
  if (from.origin["current"] != "default") spec.current = current;
  from.take("strategy", spec.strategy, file.strategy, plain);
  from.take("budget", spec.budget, file.budget, [](const std::string& text, const std::string& where) { return parse_budget(text, where); });
  from.take("trial-time", spec.trial_time_s, file.trial_time_s,
            [](const std::string& text, const std::string& where) { return parse_duration_s(text, where); });
  from.take("cache", spec.cache, file.cache, [](const std::string& text, const std::string& where) {
    const auto policy = enum_from_text<CachePolicy>(text);
    if (!policy) throw SpecError(where, fmt::format("got '{}', want one of {}", text, accepted_names<CachePolicy>()));
    return *policy;
  });
  from.take("image-size", spec.image_size, file.image_size, [](const std::string& text, const std::string& where) {
    return parse_integer<int>(text, where, smallest_image_size, largest_image_size);
  });
  from.take("within", spec.within, file.within, [](const std::string& text, const std::string& where) { return parse_share(text, where); });
  from.take("seed", spec.seed, file.seed, [](const std::string& text, const std::string& where) {
    return parse_integer<std::uint64_t>(text, where, 0, UINT64_MAX);
  });
  std::string out, replay;
  from.take("out", out, std::optional<std::string>{}, plain);
  if (!out.empty()) settings.out = out;
  from.take("replay", replay, std::optional<std::string>{}, plain);
  if (!replay.empty()) settings.replay = replay;

  // Axes: the file's, then FEEDTUNE_AXES ("a=1,2;b=x"), then the flags, each name replacing what came before.
  for (const auto& [name, values] : file.axes) {
    spec.axes[name] = values;
    from.origin["axis " + name] = "spec file";
  }
  const auto take_axis = [&](std::string_view text, const std::string& where, const std::string& origin) {
    auto [name, values] = parse_axis(text, where);
    from.origin["axis " + name] = origin;
    spec.axes[name] = std::move(values);
  };
  if (const auto axes = environment("FEEDTUNE_AXES")) {
    std::string_view rest = *axes;
    while (!rest.empty()) {
      const auto end = rest.find(';');
      take_axis(rest.substr(0, end), "FEEDTUNE_AXES", "environment");
      rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
  }
  for (const auto& text : arguments.axes) take_axis(text, "--axis", "flag");

  if (settings.replay) refuse_what_replay_ignores(from.origin);

  // The zero-config sweep ends within minutes; who names axes wants them measured, and a replay takes no time.
  if (from.origin["budget"] == "default" && spec.axes.empty() && !settings.replay) spec.budget.seconds = default_budget_s;

  spec.anchors = arguments.no_anchors ? false : file.anchors.value_or(true);
  from.origin["anchors"] = arguments.no_anchors ? "flag" : file.anchors ? "spec file" : "default";
  spec.origin = from.origin;
  return settings;
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
  };
}

Settings resolve_settings(const SweepArguments& arguments, const Environment& environment) {
  try {
    return resolve(arguments, environment);
  } catch (const SpecError& error) {
    // A bad flag is a usage error; a bad spec file or variable is bad input.
    if (error.where().starts_with("--")) throw UsageError(error.what());
    throw;
  }
}

std::string describe(const Settings& settings) {
  const Spec& spec = settings.spec;
  std::map<std::string, std::string> values = {
      {"data", spec.data.empty() ? "(none)" : spec.data},
      {"device", spec.device},
      {"model", spec.model.empty() ? "(by device)" : spec.model},
      {"step", ""},
      {"current", spec.current ? spec.current->key() : "(none)"},
      {"strategy", spec.strategy},
      {"budget", budget_text(spec.budget)},
      {"trial-time", duration_text(spec.trial_time_s)},
      {"cache", std::string(to_text(spec.cache))},
      {"image-size", std::to_string(spec.image_size)},
      {"within", fmt::format("{}%", spec.within * 100)},
      {"seed", std::to_string(spec.seed)},
      {"replay", settings.replay.value_or("(none: measure)")},
      {"out", settings.out.value_or("(a new folder)")},
      {"anchors", spec.anchors ? "yes" : "no"},
  };
  for (const auto& step : spec.step_times)
    values["step"] += fmt::format("{}{}ms@{}", values["step"].empty() ? "" : ",", step.step_ms, step.batch_size);
  if (values["step"].empty()) values["step"] = "(the model's)";
  for (const auto& [name, axis] : spec.axes) values["axis " + name] = join_axis(axis);
  std::string text;
  for (const auto& [name, value] : values) {
    const auto origin = spec.origin.find(name);
    text += fmt::format("{:<22} = {}  ({})\n", name, single_line(value), origin == spec.origin.end() ? "default" : origin->second);
  }
  return text;
}

}  // namespace feedtune
