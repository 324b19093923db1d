#include "report/recommend_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyze/phase_means.hpp"
#include "analyze/race.hpp"
#include "report/ceilings_text.hpp"
#include "report/format.hpp"
#include "report/table.hpp"

namespace feedtune {
namespace {

constexpr std::size_t most_listed = 6;

std::string cell(const std::optional<Candidate>& c, const std::string& axis) {
  if (!c) return "";
  const auto found = c->configuration.values().find(axis);
  return found == c->configuration.values().end() ? "-" : to_text(found->second);
}

std::string how_measured(const Candidate& c) {
  if (c.stage == "confirm") return counted(c.images_per_s.n, "block");
  return "search only";
}

std::string settings_section(const Recommendation& r) {
  Table table{{{"Setting"}, {"recommended"}}, {}};
  std::vector<Configuration> shown = {r.recommended->configuration};
  for (const auto& [role, title] : {std::pair{&r.current, "current"}, std::pair{&r.baseline, "baseline"}})
    if (*role) {
      table.columns.push_back({title});
      shown.push_back((*role)->configuration);
    }
  for (const std::string& axis : axes_of(shown)) {
    auto& row = table.rows.emplace_back(std::vector{axis, cell(r.recommended, axis)});
    for (const auto* role : {&r.current, &r.baseline})
      if (*role) row.push_back(cell(*role, axis));
  }
  auto& row = table.rows.emplace_back(std::vector{std::string("images/s"), rate_text(r.recommended->images_per_s)});
  for (const auto* role : {&r.current, &r.baseline})
    if (*role) row.push_back(rate_text((*role)->images_per_s));
  std::string text = render_table(table);
  if (r.headline == "current_batch")
    text += wrapped("The batch size is the current one: changing it would change training.", 0, 0);
  else if (r.per_batch.size() > 1)
    text += wrapped(
        fmt::format("The batch size is the knee{}: the smallest within {:.3g} % of the fastest.",
                    r.decided ? "" : " as far as is known", 100 * r.within),
        0, 0);
  return text;
}

std::string gains_section(const Recommendation& r) {
  std::string text;
  for (const Gain& g : r.gains) {
    const bool noise_covers_it = g.ratio.low <= 1 && g.ratio.high >= 1 && g.method != "same configuration";
    text += wrapped(fmt::format("Gain over the {} {} images/s ({}){}", g.over, ratio_text(g.ratio),
                                g.method == "paired blocks" ? counted(g.ratio.n, "paired block") : g.method,
                                noise_covers_it ? " ~ noise covers the difference" + detectable_text(g) : ""),
                    0, 2);
  }
  const bool larger = r.knee && r.recommended &&
                      r.knee->configuration.integer("batch_size") > r.recommended->configuration.integer("batch_size");
  if (r.headline == "current_batch" && r.knee_gain && larger)
    text +=
        wrapped(fmt::format("A larger batch ({}) would give {} the images/s, but changes training: the learning rate "
                            "has to follow.",
                            cell(r.knee, "batch_size"), ratio_text(*r.knee_gain)),
                0, 0);
  return text;
}

std::string per_batch_section(const Recommendation& r) {
  if (r.per_batch.empty()) return "";
  std::vector<Configuration> shown;
  for (const PerBatch& b : r.per_batch) shown.push_back(b.best.configuration);
  std::vector<std::string> axes = {"num_workers", "loader"};
  if (shown.front().has("host_memory")) axes.push_back("host_memory");
  for (const std::string& axis : varying_axes(shown))
    if (axis != "batch_size" && std::find(axes.begin(), axes.end(), axis) == axes.end() && axes.size() < 4 &&
        axis != "ready_batches")
      axes.push_back(axis);
  Table table{{{"Batch", Align::right}, {"images/s", Align::right}, {"slower by", Align::right}}, {}};
  for (const std::string& axis : axes)
    table.columns.push_back({axis, axis == "num_workers" ? Align::right : Align::left});
  table.columns.push_back({"measured in"});
  for (const PerBatch& b : r.per_batch) {
    auto& row = table.rows.emplace_back(std::vector{std::to_string(b.batch_size), rate_text(b.best.images_per_s.mean),
                                                    b.best.loss ? percent_text(b.best.loss->mean) : ""});
    for (const std::string& axis : axes) row.push_back(cell(b.best, axis));
    row.push_back(how_measured(b.best));
  }
  std::string text = render_table(table);
  const auto is_fastest = [&](const PerBatch& b) { return r.fastest && b.best.configuration == r.fastest->configuration; };
  if (r.fastest && std::none_of(r.per_batch.begin(), r.per_batch.end(), is_fastest)) {
    shown.push_back(r.fastest->configuration);
    const auto telling = joined_axes(joined_axes({"batch_size"}, axes), varying_axes(shown));
    text += wrapped(fmt::format("Fastest of all: {} images/s with {} ({}).", rate_text(r.fastest->images_per_s),
                                settings_text(r.fastest->configuration, telling), how_measured(*r.fastest)),
                    0, 2);
  }
  if (r.largest_fit)
    text +=
        wrapped(fmt::format("Largest batch that was measured and leaves 10 % of device memory free: {} (for this model "
                            "preset).",
                            cell(r.largest_fit, "batch_size")),
                0, 0);
  return text;
}

/// "num_workers 2 to 8, loader batch_per_worker or pooled": where equal settings differ.
std::string spread(const std::vector<Configuration>& configurations) {
  std::string text;
  for (const std::string& axis : varying_axes(configurations)) {
    std::set<AxisValue> values;
    for (const Configuration& c : configurations)
      if (c.has(axis)) values.insert(c.values().at(axis));
    if (values.size() < 2) continue;
    text += (text.empty() ? "" : ", ") + axis + " ";
    if (std::holds_alternative<std::int64_t>(*values.begin()) &&
        std::holds_alternative<std::int64_t>(*values.rbegin())) {
      text += to_text(*values.begin()) + " to " + to_text(*values.rbegin());
      continue;
    }
    std::string names;
    for (const AxisValue& v : values) names += (names.empty() ? "" : " or ") + to_text(v);
    text += names;
  }
  return text;
}

std::string ties_section(const Recommendation& r) {
  std::string text;
  std::vector<Configuration> equal;
  for (const Candidate& c : r.equivalent) equal.push_back(c.configuration);
  if (r.best) equal.push_back(r.best->configuration);
  if (equal.size() > 1)
    text +=
        wrapped(fmt::format("{} settings are equal within {:.3g} %: {}. The cheapest is recommended (smallest batch, "
                            "then fewest workers, then least memory).",
                            equal.size(), 100 * r.within, spread(equal)),
                0, 2);
  if (!r.undecided.empty()) {
    text += wrapped(fmt::format("{} undecided (not told apart from the best, nor proven equal, which takes {} blocks at least):",
                                counted(std::ssize(r.undecided), "setting"), min_blocks),
                    0, 2);
    for (std::size_t i = 0; i < r.undecided.size() && i < most_listed; ++i) {
      const Candidate& c = r.undecided[i];
      const std::string change = change_text(r.recommended->configuration, c.configuration);
      text +=
          "  " + wrapped(fmt::format("{}: loss {} [{}, {}], {}", change.empty() ? "the recommended itself" : change,
                                     percent_text(c.loss ? c.loss->mean : 0), percent_text(c.loss ? c.loss->low : 0),
                                     percent_text(c.loss ? c.loss->high : 0), how_measured(c)),
                         2, 4);
    }
    if (r.undecided.size() > most_listed) text += fmt::format("  and {} more\n", r.undecided.size() - most_listed);
  }
  return text;
}

std::string measured_section(const Run& run, const Recommendation& r) {
  std::string text;
  if (run.data.images > 0)  // else a replay of a record that tells nothing of its machine
    text = fmt::format("Measured with {:.3g} CPUs; device {}{}, model {}, {}. ", run.machine.cpus.effective,
                       run.device.title.empty() ? run.device.name : run.device.title, r.modelled ? " (modelled)" : "",
                       run.model.name.empty() ? "-" : run.model.name, counted(run.data.images, "image"));
  text += fmt::format("{} tried, finalists measured again in {}", counted(r.configurations, "setting"),
                      counted(r.blocks, "interleaved block"));
  if (r.noise) text += fmt::format("; one trial repeats within {} (standard deviation)", percent_text(*r.noise));
  return wrapped(text + ". Brackets are 95 % intervals; a loss is bounded at 95 % on each side.", 0, 0);
}

std::string warnings_section(const Run& run, const Recommendation& r) {
  std::string text;
  for (const std::string& warning : r.warnings) text += "- " + wrapped(warning, 2, 2);
  for (const RunNote& note : run.notes)
    if (note.kind == "drift" || note.kind == "interrupted") text += "- " + wrapped(note.text, 2, 2);
  return text.empty() ? "" : "Warnings\n" + text;
}

}  // namespace

std::string phase_table(const Run& run, const Recommendation& r) {
  Table table{{{"Phase (ms a step)"}}, {}};
  std::vector<std::map<std::string, double>> columns;
  for (const auto& [candidate, title] : {std::pair{&r.baseline, "baseline"}, std::pair{&r.current, "current"},
                                         std::pair{&r.recommended, "recommended"}}) {
    if (!*candidate) continue;
    auto means = phase_means(run, (*candidate)->configuration);
    if (means.empty()) continue;
    table.columns.push_back({title, Align::right});
    columns.push_back(std::move(means));
  }
  if (columns.empty()) return "";
  const std::pair<const char*, const char*> rows[] = {
      {"data load", "data_wait"}, {"h2d", "h2d"},   {"forward", "forward"},         {"loss+backward", "backward"},
      {"update", "update"},       {"step", "step"}, {"device waits", "device_idle"}};
  for (const auto& [title, phase] : rows) {
    std::vector<std::string> row = {title};
    bool any = false;
    for (const auto& means : columns) {
      const auto found = means.find(phase);
      any = any || found != means.end();
      row.push_back(ms_text(found == means.end() ? std::nullopt : std::optional(found->second)));
    }
    if (any) table.rows.push_back(row);
  }
  return render_table(table) + wrapped(
                                   "data load: the training loop waits for a batch (with 0 workers: loads it). Phases "
                                   "overlap, so they do not "
                                   "add up to the step.",
                                   0, 0);
}

std::string recommend_text(const Run& run, const Recommendation& r) {
  std::vector<std::string> sections = {verdict_text(run, r) + modelled_text(run, r)};
  if (r.recommended) {
    sections.push_back(settings_section(r));
    sections.push_back(gains_section(r));
  }
  sections.push_back(
      ceilings_table(r.ceilings, r.recommended ? std::optional(r.recommended->images_per_s) : std::nullopt));
  if (r.recommended) {
    sections.push_back(phase_table(run, r));
    sections.push_back(per_batch_section(r));
    sections.push_back(ties_section(r));
    sections.push_back(measured_section(run, r));
  }
  sections.push_back(warnings_section(run, r));
  std::string text;
  for (const std::string& section : sections)
    if (!section.empty()) text += (text.empty() ? "" : "\n") + section;
  return text;
}

}  // namespace feedtune
