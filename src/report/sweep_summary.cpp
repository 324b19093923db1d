#include "report/sweep_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/measurements.hpp"
#include "report/format.hpp"

namespace feedtune {
namespace {

std::string value_cell(const Configuration& c, const std::string& axis) {
  return c.has(axis) ? to_text(c.values().at(axis)) : "-";
}

void add_axis_columns(Table& table, const std::vector<std::string>& axes, const std::vector<Configuration>& all) {
  for (const std::string& axis : axes) {
    const bool numbers = std::all_of(
        all.begin(), all.end(), [&](const Configuration& c) { return !c.has(axis) || c.integer(axis).has_value(); });
    table.columns.push_back({axis, numbers ? Align::right : Align::left});
  }
}

std::string shared_line(const std::vector<Configuration>& all, const std::vector<std::string>& varying) {
  std::vector<std::string> shared = axes_of(all);
  std::erase_if(shared, [&](const std::string& axis) {
    return std::find(varying.begin(), varying.end(), axis) != varying.end();
  });
  const std::string text = settings_text(all.front(), shared);
  return text.empty() ? "" : wrapped("All with " + text + ".", 0, 2);
}

std::string failures_line(const Run& run) {
  std::map<TrialStatus, int> counts;
  for (const TrialResult& t : run.trials)
    if (is_of_the_search(t) && t.status != TrialStatus::ok) counts[t.status] += 1;
  std::string text;
  for (const auto& [status, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_text(status));
  return text.empty() ? "" : "Without a result: " + text + "\n";
}

}  // namespace

std::string sweep_summary_line(const Run& run, const Recommendation& r) {
  if (!r.recommended)
    return single_line("no setting can be recommended: " +
                       (r.warnings.empty() ? "no trial was measured" : r.warnings.front()));
  std::string text =
      fmt::format("{}{} images/s with {}", r.modelled ? fmt::format("[modelled {}] ", run.device.name) : "",
                  rate_text(r.recommended->images_per_s.mean),
                  settings_text(r.recommended->configuration, {"batch_size", "num_workers", "loader", "host_memory"}));
  for (const Gain& g : r.gains)
    text += fmt::format("; {:.{}f}x the {}", g.ratio.mean, g.ratio.mean < 9.95 ? 2 : 0, g.over);
  if (r.bound_by != "none" && !r.bound_by.empty()) text += "; bound by " + r.bound_by;
  return single_line(text + (r.decided ? "" : "; not settled"));
}

std::string trials_table(const Run& run, std::size_t most, TableStyle style) {
  const Measurements data = gather(run);
  std::vector<const Measured*> rows;
  for (const Measured& m : data.all) rows.push_back(&m);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Measured* a, const Measured* b) { return data.estimate(*a) > data.estimate(*b); });
  rows.resize(std::min(rows.size(), most));
  if (rows.empty()) return failures_line(run);
  std::vector<Configuration> shown;
  for (const Measured* m : rows) shown.push_back(m->configuration);
  const auto axes = varying_axes(shown);
  Table table{{{"images/s", Align::right}, {"trials", Align::right}}, {}};
  add_axis_columns(table, axes, shown);
  for (const Measured* m : rows) {
    auto& row =
        table.rows.emplace_back(std::vector{rate_text(std::exp(data.estimate(*m))), std::to_string(m->trials.size())});
    for (const std::string& axis : axes) row.push_back(value_cell(m->configuration, axis));
  }
  std::string text = render_table(table, style);
  if (data.all.size() > rows.size())
    text += fmt::format("and {} slower configurations\n", data.all.size() - rows.size());
  const std::string modelled = run.device.modelled ? "modelled: device times of " + run.device.name +
                                                         " are computed from a profile, the host side is real.\n"
                                                   : "";
  return text + shared_line(shown, axes) + modelled + failures_line(run);
}

std::string configurations_table(const std::vector<Configuration>& all, TableStyle style) {
  if (all.empty()) return "";
  auto axes = varying_axes(all);
  const std::string shared = shared_line(all, axes);
  if (axes.empty()) return shared;
  Table table;
  add_axis_columns(table, axes, all);
  for (const Configuration& c : all) {
    auto& row = table.rows.emplace_back();
    for (const std::string& axis : axes) row.push_back(value_cell(c, axis));
  }
  return shared + render_table(table, style);
}

}  // namespace feedtune
