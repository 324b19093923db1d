#include "cli/dry_run_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/enums.hpp"
#include "report/format.hpp"
#include "report/table.hpp"

namespace feedtune {

std::string dry_run_text(const Run& header, const DryRun& plan) {
  std::vector<Configuration> configurations;
  for (const auto& trial : plan.trials) configurations.push_back(trial.configuration);
  const std::vector<std::string> axes = varying_axes(configurations);

  Table table{{{"stage"}, {"runs"}, {"block", Align::right}}, {}};
  for (const auto& axis : axes) table.columns.push_back({axis, Align::right});
  table.columns.push_back({"about", Align::right});
  table.columns.push_back({"host memory", Align::right});
  table.columns.push_back({"device memory", Align::right});
  std::uint64_t most_host = 0, most_device = 0;
  for (const auto& trial : plan.trials) {
    std::vector<std::string> row = {trial.stage, std::string(to_text(trial.purpose)), std::to_string(trial.block)};
    for (const auto& axis : axes) {
      const auto value = trial.configuration.values().find(axis);
      row.push_back(value == trial.configuration.values().end() ? "-" : to_text(value->second));
    }
    row.push_back(fmt::format("{:.1f} s", trial.estimated_s));
    row.push_back(bytes_text(static_cast<double>(trial.host_bytes)));
    row.push_back(trial.device_bytes ? bytes_text(static_cast<double>(*trial.device_bytes)) + (trial.fits ? "" : " (does not fit)") : "-");
    table.rows.push_back(std::move(row));
    most_host = std::max(most_host, trial.host_bytes);
    if (trial.fits) most_device = std::max(most_device, trial.device_bytes.value_or(0));
  }
  std::string text = render_table(table);
  text += fmt::format("\n{} trials, about {:.0f} s; confirmation after them: about {} trials, {:.0f} s\n", plan.trials.size(),
                      plan.estimated_s, plan.confirm_trials, plan.confirm_s);
  text += fmt::format("at most {} of batch buffers in host memory{}\n", bytes_text(static_cast<double>(most_host)),
                      most_device > 0 ? fmt::format(", {} of device memory", bytes_text(static_cast<double>(most_device))) : "");
  if (header.device.modelled) text += fmt::format("modelled: {} is computed from a profile\n", header.device.name);
  for (const auto& note : plan.notes) text += fmt::format("note ({}): {}\n", note.kind, single_line(note.text));
  return text;
}

}  // namespace feedtune
