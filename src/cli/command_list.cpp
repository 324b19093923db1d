#include <fmt/format.h>

#include <iostream>

#include "cli/commands.hpp"
#include "cli/devices.hpp"
#include "cli/exit_codes.hpp"
#include "machine/cpu_limit.hpp"
#include "model/model.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "search/strategy.hpp"
#include "space/space.hpp"

namespace feedtune {
namespace {

std::string joined_values(const std::vector<AxisValue>& values) {
  std::string text;
  for (const auto& value : values) text.append(text.empty() ? "" : ", ").append(to_text(value));
  return text;
}

std::string joined_texts(const std::vector<std::string>& values) {
  std::string text;
  for (const auto& value : values) text.append(text.empty() ? "" : ", ").append(value);
  return text;
}

Table devices_table() {
  Table table{{{"device"}, {"usable"}, {"what"}, {"memory", Align::right}, {"precisions"}, {"note"}}, {}};
  for (const auto& row : known_devices())
    table.rows.push_back({row.name, row.usable ? "yes" : "no", row.title,
                          row.memory_bytes ? bytes_text(static_cast<double>(*row.memory_bytes)) : "", joined_texts(row.precisions), row.note});
  return table;
}

Table models_table() {
  Table table{{{"model"}, {"parameters", Align::right}, {"forward GFLOP/image", Align::right}, {"step GFLOP/image", Align::right},
               {"activations/image fp32", Align::right}, {"fp16", Align::right}, {"device memory fp16, batch 128", Align::right}},
              {}};
  constexpr int side = 224;
  for (const auto& preset : model_presets()) {
    const ModelFacts full = model_facts(preset, side, Precision::fp32);
    const ModelFacts half = model_facts(preset, side, Precision::fp16);
    table.rows.push_back({preset.name, fmt::format("{:.2f} M", static_cast<double>(full.parameters) * 1e-6),
                          fmt::format("{:.3f}", full.forward_flops_per_image * 1e-9), fmt::format("{:.3f}", full.step_flops_per_image * 1e-9),
                          bytes_text(static_cast<double>(full.activation_bytes_per_image)),
                          bytes_text(static_cast<double>(half.activation_bytes_per_image)),
                          bytes_text(static_cast<double>(planned_device_bytes(preset, side, 128, Precision::fp16, InputType::uint8, 2)))});
  }
  return table;
}

Table axes_table() {
  // Default lists depend on the machine and the device; these are for a device that copies, on this machine.
  SpaceContext context;
  context.effective_cpus = cpu_limit().effective;
  context.device.copies = true;
  context.device.precisions = {"fp32", "tf32", "bf16", "fp16"};
  context.storage_missing["packed"] = "only a packed folder has it";
  Table table{{{"axis"}, {"unit"}, {"accepts"}, {"tried here"}, {"swept by default"}, {"what"}}, {}};
  for (const auto& axis : all_axes())
    table.rows.push_back({axis.name, axis.unit, axis.accepted, axis.defaults ? joined_values(axis.defaults(context)) : "",
                          axis.swept_by_default ? "yes" : "no", axis.summary});
  return table;
}

Table strategies_table() {
  Table table{{{"strategy"}, {"what"}}, {}};
  for (const auto& strategy : all_strategies()) table.rows.push_back({strategy.name, strategy.summary});
  return table;
}

}  // namespace

int run_command(const ListArguments& arguments) {
  const Table table = arguments.what == "devices"  ? devices_table()
                      : arguments.what == "models" ? models_table()
                      : arguments.what == "axes"   ? axes_table()
                                                   : strategies_table();
  std::cout << render_table(table, arguments.format == "md" ? TableStyle::markdown : TableStyle::text);
  return exit_code::ok;
}

}  // namespace feedtune
