#include "report/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/table.hpp"

namespace feedtune {
namespace {

/// Three significant digits, never in exponent notation.
std::string three_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

const std::vector<std::string>& well_known_axes() {
  static const std::vector<std::string> axes = {"batch_size",    "num_workers",   "loader",         "host_memory",
                                                "prefetch",      "ready_batches", "decoder",        "input_type",
                                                "transfer",      "sync",          "worker_threads", "precision",
                                                "model_threads", "resize",        "storage",        "affinity",
                                                "pinning"};
  return axes;
}

std::string value_text(const Configuration& c, const std::string& axis) {
  const auto found = c.values().find(axis);
  return found == c.values().end() ? "-" : to_text(found->second);
}

}  // namespace

std::string rate_text(double v) {
  if (!std::isfinite(v)) return "-";
  return std::abs(v) >= 99.95 ? count_text(std::llround(std::clamp(v, -1e18, 1e18))) : three_digits(v);
}

std::string rate_text(const Interval& i) {
  if (i.n < 2) return rate_text(i.mean);
  return fmt::format("{} [{}, {}]", rate_text(i.mean), rate_text(i.low), rate_text(i.high));
}

std::string ratio_text(double v) {
  if (!std::isfinite(v)) return "-";
  // A difference from 1 that two decimals would hide gets a third.
  const bool near = v != 1 && std::abs(v - 1) < 0.05;
  return fmt::format("{:.{}f}x", v, v >= 99.95 ? 0 : v >= 9.995 ? 1 : near ? 3 : 2);
}

std::string ratio_text(const Interval& i) {
  if (!(i.high > i.low)) return ratio_text(i.mean);
  return fmt::format("{} [{}, {}]", ratio_text(i.mean), ratio_text(i.low), ratio_text(i.high));
}

std::string percent_text(double share) {
  const double percent = 100 * share;
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  return std::isfinite(percent) ? fmt::format("{:.{}f} %", percent, std::abs(percent) >= 9.95 ? 0 : 1) : "-";
}

std::string ms_text(const std::optional<double>& ms) { return ms && std::isfinite(*ms) ? three_digits(*ms) : "-"; }

std::string settings_text(const Configuration& c, const std::vector<std::string>& axes) {
  std::string text;
  for (const std::string& axis : axes)
    if (c.has(axis)) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis, value_text(c, axis));
  return text;
}

std::string change_text(const Configuration& from, const Configuration& to) {
  std::string text;
  for (const std::string& axis : axes_of({from, to})) {
    if (!to.has(axis) || value_text(from, axis) == value_text(to, axis)) continue;
    text += text.empty() ? "" : ", ";
    text += from.has(axis) ? fmt::format("{} {} -> {}", axis, value_text(from, axis), value_text(to, axis))
                           : fmt::format("{} {}", axis, value_text(to, axis));
  }
  return text;
}

std::vector<std::string> axes_of(const std::vector<Configuration>& configurations) {
  std::set<std::string> names;
  for (const Configuration& c : configurations)
    for (const auto& [axis, value] : c.values()) names.insert(axis);
  std::vector<std::string> ordered;
  for (const std::string& axis : well_known_axes())
    if (names.erase(axis) > 0) ordered.push_back(axis);
  ordered.insert(ordered.end(), names.begin(), names.end());
  return ordered;
}

std::vector<std::string> swept_axes(const Spec& spec) {
  std::vector<std::string> axes;
  for (const auto& [axis, values] : spec.axes)
    if (values.size() > 1) axes.push_back(axis);
  return axes;
}

std::vector<std::string> joined_axes(std::vector<std::string> axes, const std::vector<std::string>& more) {
  for (const std::string& axis : more)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  return axes;
}

std::vector<std::string> varying_axes(const std::vector<Configuration>& configurations) {
  std::vector<std::string> axes = axes_of(configurations);
  std::erase_if(axes, [&](const std::string& axis) {
    return std::all_of(configurations.begin(), configurations.end(), [&](const Configuration& c) {
      return value_text(c, axis) == value_text(configurations.front(), axis);
    });
  });
  return axes;
}

std::string wrapped(const std::string& text, std::size_t first, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = first;
  bool line_has_word = false;
  const std::string line = single_line(text);
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = std::min(line.find(' ', at), line.size());
    if (line.compare(end, 2, " %") == 0) end = std::min(line.find(' ', end + 1), line.size());  // "2 %" stays together
    const std::string word = line.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (line_has_word && column + 1 + text_width(word) > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      line_has_word = false;
    }
    out += (line_has_word ? " " : "") + word;
    column += text_width(word) + (line_has_word ? 1 : 0);
    line_has_word = true;
  }
  return out + "\n";
}

}  // namespace feedtune
