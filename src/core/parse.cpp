#include "core/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/error.hpp"
#include "core/split.hpp"

namespace feedtune {
namespace {

[[noreturn]] void refuse(std::string_view got, const std::string& where, std::string_view want) {
  constexpr std::size_t longest = 60;
  const std::string_view cut = got.substr(0, longest);
  throw SpecError(where, fmt::format("got \"{}{}\", want {}", cut, got.size() > longest ? "..." : "", want));
}

/// The whole text as a plain decimal number; nothing for "inf", "nan", a sign or rubbish.
std::optional<double> plain_number(std::string_view text) {
  if (text.empty() || ((text[0] < '0' || text[0] > '9') && text[0] != '.')) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

template <class Integer>
std::optional<Integer> whole_integer(std::string_view text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<double> duration_s(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr Unit units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};  // "ms" before "s"
  for (const auto& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = plain_number(text.substr(0, text.size() - unit.name.size()));
    if (!number || *number <= 0 || !std::isfinite(*number * unit.seconds)) return std::nullopt;
    return *number * unit.seconds;
  }
  return std::nullopt;
}

}  // namespace

double parse_duration_s(std::string_view text, const std::string& where) {
  const auto seconds = duration_s(text);
  if (!seconds) refuse(text, where, "a time above 0 with its unit (ms, s, m, h), as in 90s or 1.5h");
  return *seconds;
}

Budget parse_budget(std::string_view text, const std::string& where) {
  constexpr std::string_view want = "a time as in 5m or a number of trials as in 200trials";
  Budget budget;
  for (const std::string_view unit : {"trials", "trial"}) {
    if (!text.ends_with(unit)) continue;
    budget.trials = whole_integer<std::int64_t>(text.substr(0, text.size() - unit.size()));
    if (!budget.trials || *budget.trials < 1) refuse(text, where, want);
    return budget;
  }
  budget.seconds = duration_s(text);
  if (!budget.seconds) refuse(text, where, want);
  return budget;
}

double parse_share(std::string_view text, const std::string& where) {
  const bool percent = text.ends_with('%');
  const auto number = plain_number(percent ? text.substr(0, text.size() - 1) : text);
  const double share = number ? (percent ? *number / 100 : *number) : -1;
  if (share < 0 || share > 1) refuse(text, where, "a share from 0 to 1, as in 2% or 0.02");
  return share;
}

AxisValue parse_axis_value(std::string_view text, const std::string& where) {
  if (const auto number = whole_integer<std::int64_t>(text)) return *number;
  const bool only_digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (only_digits) refuse(text, where, text.empty() ? "an integer or a name" : "an integer of at most 64 bits");
  return std::string(text);
}

Configuration parse_assignments(std::string_view text, const std::string& where) {
  Configuration configuration;
  for (const std::string_view part : split(text, ",")) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0)
      refuse(part, where, "NAME=VALUE,..., as in batch_size=64,num_workers=4");
    const std::string name(part.substr(0, equals));
    if (configuration.has(name)) throw SpecError(where, fmt::format("{} is given twice", name));
    configuration.set(name, parse_axis_value(part.substr(equals + 1), where));
  }
  return configuration;
}

std::pair<std::string, std::vector<AxisValue>> parse_axis(std::string_view text, const std::string& where) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) refuse(text, where, "NAME=VALUE,..., as in num_workers=0,2,4");
  std::vector<AxisValue> values;
  for (const std::string_view part : split(text.substr(equals + 1), ",")) {
    AxisValue value = parse_axis_value(part, where);
    if (std::find(values.begin(), values.end(), value) != values.end())
      throw SpecError(where, fmt::format("{} is given twice", to_text(value)));
    values.push_back(std::move(value));
  }
  return {std::string(text.substr(0, equals)), std::move(values)};
}

std::vector<StepTime> parse_step_times(std::string_view text, const std::string& where) {
  constexpr std::string_view want = "TIME@BATCH,..., as in 85ms@64,150ms@128";
  std::vector<StepTime> times;
  for (const std::string_view part : split(text, ",")) {
    const auto at = part.find('@');
    if (at == std::string_view::npos) refuse(part, where, want);
    const auto seconds = duration_s(part.substr(0, at));
    const auto batch = whole_integer<int>(part.substr(at + 1));
    if (!seconds || !batch || *batch < 1) refuse(part, where, want);
    times.push_back({.step_ms = *seconds * 1e3, .batch_size = *batch});
  }
  std::sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.batch_size < b.batch_size; });
  for (std::size_t i = 1; i < times.size(); ++i)
    if (times[i].batch_size == times[i - 1].batch_size)
      throw SpecError(where, fmt::format("batch size {} is given twice", times[i].batch_size));
  return times;
}

}  // namespace feedtune
