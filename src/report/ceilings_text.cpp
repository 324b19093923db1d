#include "report/ceilings_text.hpp"

#include <fmt/format.h>

#include <tuple>

#include "analyze/ceilings.hpp"
#include "report/format.hpp"
#include "report/table.hpp"

namespace feedtune {
namespace {

/// Is the loader worth fixing at all?
std::string worth_fixing(const Ceilings& c) {
  if (c.joint_cpu && c.binds == "joint_cpu")
    return "Loader and step use the same CPUs, so a cheaper loader also makes room for the step.";
  if (!c.loader || !c.step) return "";
  if (*c.loader < *c.step)
    return fmt::format("The loader is worth fixing: it can feed {} of what the step could take.",
                       percent_text(*c.loader / *c.step));
  return fmt::format("The loader need not be the limit: alone it gives {:.2f}x what the step takes.",
                     *c.loader / *c.step);
}

/// The batch size that the step's and the copy's ceilings are shown for.
Configuration shown_at(const Run& run) {
  if (run.spec.current && run.spec.current->has("batch_size")) return *run.spec.current;
  const TrialResult* fastest = nullptr;
  for (const TrialResult& t : run.trials) {
    if (t.purpose != Purpose::step_only || t.stage != "component" || !t.images_per_s) continue;
    if (fastest == nullptr || t.images_per_s->mean > fastest->images_per_s->mean) fastest = &t;
  }
  // The batch size alone: what else stands in a step's configuration (host_memory) would choose among the copies.
  Configuration at;
  if (fastest != nullptr && fastest->configuration.has("batch_size"))
    at.set("batch_size", fastest->configuration.values().at("batch_size"));
  return at;
}

}  // namespace

std::string ceilings_table(const Ceilings& c, const std::optional<Interval>& measured) {
  const auto lowest = lowest_ceiling(c);
  if (!lowest) return "";
  Table table{{{"Ceiling (each part alone)"}, {"images/s", Align::right}, {""}}, {}};
  const std::tuple<const char*, const char*, const std::optional<double>&> parts[] = {
      {"loader", "loader", c.loader},
      {"copy to the device (h2d)", "h2d", c.h2d},
      {"training step", "step", c.step},
      {"loader and step on the same CPUs", "joint_cpu", c.joint_cpu}};
  for (const auto& [title, name, value] : parts)
    if (value) table.rows.push_back({title, rate_text(*value), c.binds == name ? "<- binds" : ""});
  if (measured) {
    const double share = measured->mean / *lowest;
    table.rows.push_back({"measured, recommended", rate_text(measured->mean),
                          percent_text(share) + " of the lowest" + (share > 1 ? " (which was measured once)" : "")});
  }
  const std::string worth = worth_fixing(c);
  return render_table(table) + (worth.empty() ? "" : wrapped(worth, 0, 0));
}

std::string ceilings_text(const Run& run) {
  const Configuration at = shown_at(run);
  const std::string table = ceilings_table(find_ceilings(run, at), std::nullopt);
  if (table.empty()) return "";
  std::string text = table;
  if (const auto batch = at.integer("batch_size"))
    text += wrapped(fmt::format("Step{} at batch_size {}; the lowest bounds what any setting there can give.",
                                run.device.copies ? " and copy" : "", *batch),
                    0, 0);
  if (run.device.modelled)
    text += wrapped(fmt::format("modelled: step and copy of {} are computed from a profile.", run.device.name), 0, 0);
  return text;
}

}  // namespace feedtune
