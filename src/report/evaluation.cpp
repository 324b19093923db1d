#include "report/evaluation.hpp"

#include <fmt/format.h>

#include <utility>

#include "json/value.hpp"
#include "report/format.hpp"
#include "report/table.hpp"

namespace feedtune {
namespace {

/// One figure of a strategy: its name in JSON, its column, and what it is.
struct ScoreFigure {
  const char* name;
  const char* title;
  const char* meaning;
  std::optional<double> (*value)(const StrategyScore&);
  const char* unknown;  ///< why it may be absent
};

constexpr const char* nothing_runs = "no configuration of the record runs";
constexpr const char* no_gain = "no sweep published a gain over a baseline other than what it recommends";

const ScoreFigure figures[] = {
    {"regret_mean", "regret", "images/s lost by the best that the search found, against the fastest recorded",
     [](const StrategyScore& s) { return s.score.regret.mean; }, nothing_runs},
    {"regret_p95", "p95", "its 95th percentile over the seeds", [](const StrategyScore& s) { return s.score.regret_p95; }, nothing_runs},
    {"recommended_regret_mean", "recommended", "the same of what is recommended, which may be cheaper by design (the knee)",
     [](const StrategyScore& s) { return s.score.recommended_regret.mean; }, nothing_runs},
    {"recommended_regret_p95", "rec. p95", "its 95th percentile", [](const StrategyScore& s) { return s.score.recommended_regret_p95; }, nothing_runs},
    {"cost_share", "cost", "components and search, over one trial of every configuration",
     [](const StrategyScore& s) { return s.score.search_cost_share.mean; }, "the record has no costs"},
    {"confirm_cost_share", "confirm", "confirmation, over the same", [](const StrategyScore& s) { return s.score.confirm_cost_share.mean; },
     "the record has no costs"},
    {"bias", "bias", "the best's published images/s over the true ones, less 1", [](const StrategyScore& s) { return s.score.bias.mean; },
     "no sweep found a configuration that runs"},
    {"coverage", "coverage", "published 95 % intervals of the gain that hold the true ratio",
     [](const StrategyScore& s) { return s.score.coverage.mean; }, no_gain},
    {"aa_false_positive", "A/A", "gains claimed where all configurations were made equal",
     [](const StrategyScore& s) { return s.aa_false_positive.mean; }, "no A/A sweep published a gain"},
};

JsonValue text(std::string value) { return {.data = std::move(value)}; }
JsonValue count(std::int64_t value) { return {.data = value}; }
JsonValue number(double value) { return {.data = value}; }

JsonValue replay_json(const EvaluatedReplay& replay) {
  JsonValue::Array notes;
  for (const std::string& note : replay.notes) notes.push_back(text(note));
  return {.data = JsonValue::Object{{"file", text(replay.file)},
                                    {"digest", text(replay.digest)},
                                    {"configurations", count(replay.configurations)},
                                    {"runs", count(replay.runs)},
                                    {"exhaustive_s", number(replay.exhaustive_s)},
                                    {"fastest_images_per_s", number(replay.fastest_images_per_s)},
                                    {"notes", {.data = std::move(notes)}}}};
}

JsonValue score_json(const StrategyScore& score) {
  JsonValue::Object members = {{"file", text(score.file)}, {"strategy", text(score.strategy)}, {"seeds", count(score.score.runs)}};
  JsonValue::Object unknown;
  for (const ScoreFigure& figure : figures) {
    const auto value = figure.value(score);
    members.push_back({figure.name, value ? number(*value) : JsonValue{}});
    if (!value) unknown.push_back({figure.name, text(figure.unknown)});
  }
  members.push_back({"coverage_n", count(score.score.coverage.n)});
  members.push_back({"aa_n", count(score.aa_false_positive.n)});
  members.push_back({"infeasible", count(score.score.infeasible)});
  members.push_back({"unknown", {.data = std::move(unknown)}});
  return {.data = std::move(members)};
}

}  // namespace

std::string evaluation_text(const Evaluation& evaluation) {
  Table table{{{"replay"}, {"strategy"}, {"seeds", Align::right}}, {}};
  for (const ScoreFigure& figure : figures) table.columns.push_back({figure.title, Align::right});
  table.columns.push_back({"cannot run", Align::right});
  for (const StrategyScore& score : evaluation.scores) {
    auto& row = table.rows.emplace_back(std::vector{score.file, score.strategy, std::to_string(score.score.runs)});
    for (const ScoreFigure& figure : figures) {
      const auto value = figure.value(score);
      row.push_back(value ? fmt::format("{:.2f} %", 100 * *value) : "-");
    }
    row.push_back(std::to_string(score.score.infeasible));
  }
  std::string lines = render_table(table) + '\n';
  for (const ScoreFigure& figure : figures) lines += wrapped(fmt::format("{}: {}", figure.title, figure.meaning), 0, 2);
  lines += "cannot run: sweeps that recommended what never ran in the record\n";
  lines += wrapped(fmt::format("budget {} of each sweep, confirmation included; seeds {} to {}; -: no value (--format json says why)",
                               evaluation.budget, evaluation.first_seed, evaluation.first_seed + static_cast<std::uint64_t>(evaluation.seeds) - 1),
                   0, 2);
  for (const EvaluatedReplay& replay : evaluation.replays) {
    lines += fmt::format("\n{}: {}, {}, {:.0f} s for one trial of each; fastest {} images/s\n", single_line(replay.file),
                         counted(replay.configurations, "configuration"), counted(replay.runs, "run"), replay.exhaustive_s,
                         rate_text(replay.fastest_images_per_s));
    for (const std::string& note : replay.notes) lines += "  " + wrapped(single_line(note), 2, 2);
  }
  return lines;
}

std::string evaluation_json(const Evaluation& evaluation) {
  JsonValue::Array replays, scores;
  for (const EvaluatedReplay& replay : evaluation.replays) replays.push_back(replay_json(replay));
  for (const StrategyScore& score : evaluation.scores) scores.push_back(score_json(score));
  return pretty_text({.data = JsonValue::Object{
                          {"schema", text("feedtune.evaluation")},
                          {"schema_version", text("0.1")},
                          {"tool", {.data = JsonValue::Object{{"version", text(evaluation.tool.version)}, {"commit", text(evaluation.tool.commit)}}}},
                          {"budget", text(evaluation.budget)},
                          {"first_seed", {.data = evaluation.first_seed}},
                          {"seeds", count(evaluation.seeds)},
                          {"replays", {.data = std::move(replays)}},
                          {"scores", {.data = std::move(scores)}}}});
}

}  // namespace feedtune
