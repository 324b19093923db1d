#include "analyze/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace feedtune {
namespace {

Finding finding_of(const Rule& rule, RuleFinding found) {
  Finding f;
  f.rule = rule.name;
  f.verdict = std::move(found.verdict);
  f.evidence = std::move(found.evidence);
  f.share = std::clamp(found.share, 0.0, 1.0);
  f.gain_of = std::move(found.gain.change);
  f.gain = found.gain.ratio;
  f.gain_unknown = std::move(found.gain.unknown);
  f.next = std::move(found.next);
  return f;
}

}  // namespace

std::optional<std::int64_t> RuleInput::fact(const std::string& name) const {
  for (const auto* facts : {&run.machine.facts, &run.device.facts}) {
    const auto found = facts->find(name);
    if (found == facts->end() || !found->second.value) continue;
    if (const auto* value = std::get_if<std::int64_t>(&*found->second.value)) return *value;
  }
  return std::nullopt;
}

std::string RuleInput::waiting_text() const {
  return fmt::format("the device waits for data in {:.0f} % of each step ({:.3g} of {:.3g} ms)", 100 * exposure.data, exposure.data * exposure.step_ms,
                     exposure.step_ms);
}

Judged judge_trial(const RuleInput& input) {
  struct Entry {
    Finding finding;
    Rule::Kind kind;
    Part part;
    double weight;
  };
  std::vector<Entry> entries;
  std::map<Part, double> by_cause;
  for (const Rule& rule : all_rules()) {
    if (rule.kind == Rule::Kind::run) continue;
    auto found = rule.judge(input);
    if (!found) continue;
    Entry entry{finding_of(rule, std::move(*found)), rule.kind, rule.part, 0};
    entry.weight = entry.finding.share;
    if (rule.kind == Rule::Kind::cause) by_cause[rule.part] = std::max(by_cause[rule.part], entry.finding.share);
    entries.push_back(std::move(entry));
  }
  for (Entry& entry : entries)
    if (entry.kind == Rule::Kind::place) entry.weight -= by_cause[entry.part];
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.weight > b.weight; });
  Judged judged;
  judged.has_primary = !entries.empty() && entries.front().weight >= least_share;
  for (Entry& entry : entries) judged.findings.push_back(std::move(entry.finding));
  return judged;
}

std::vector<Finding> judge_run(const RuleInput& input) {
  std::vector<Finding> findings;
  for (const Rule& rule : all_rules()) {
    if (rule.kind != Rule::Kind::run) continue;
    if (auto found = rule.judge(input)) {
      findings.push_back(finding_of(rule, std::move(*found)));
      findings.back().share = 0;
    }
  }
  return findings;
}

}  // namespace feedtune
