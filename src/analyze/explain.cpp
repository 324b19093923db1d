#include "analyze/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analyze/possible.hpp"
#include "analyze/recommend.hpp"
#include "analyze/rule.hpp"
#include "core/counted.hpp"
#include "core/error.hpp"
#include "core/single_line.hpp"

namespace feedtune {
namespace {

bool can_be_explained(const TrialResult& t) {
  return t.status == TrialStatus::ok && t.purpose == Purpose::trial && t.images_per_s && std::isfinite(t.images_per_s->mean) && t.images_per_s->mean > 0;
}

/// "1 to 4, 7".
std::string ids_text(const Run& run) {
  std::set<std::int64_t> ids;
  for (const TrialResult& t : run.trials)
    if (can_be_explained(t)) ids.insert(t.id);
  std::string text;
  for (auto i = ids.begin(); i != ids.end();) {
    auto last = i;
    while (std::next(last) != ids.end() && *std::next(last) == *last + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", *i);
    if (last != i) text += fmt::format(" to {}", *last);
    i = std::next(last);
  }
  return text;
}

const TrialResult& asked_for(const Run& run, std::int64_t id, const std::string& where) {
  const auto found = std::find_if(run.trials.begin(), run.trials.end(), [id](const TrialResult& t) { return t.id == id; });
  const std::string others = ids_text(run);
  const std::string accepted = others.empty() ? "" : "; trials that can be explained: " + others;
  if (found == run.trials.end()) throw InputError(where, fmt::format("has no trial {}{}", id, accepted));
  if (!can_be_explained(*found)) {
    const std::string why = found->purpose != Purpose::trial ? fmt::format("measured a part alone ({})", to_text(found->purpose))
                                                             : fmt::format("gave no result ({}: {})", to_text(found->status), single_line(found->reason));
    throw InputError(where, fmt::format("trial {} {}{}", id, why, accepted));
  }
  return *found;
}

/// The trial in the middle by images/s of those that worked.
const TrialResult* middle_trial(const Run& run, const Configuration& configuration) {
  std::vector<const TrialResult*> trials;
  bool confirmed = false;
  for (const TrialResult& t : run.trials) {
    if (!is_of_the_search(t) || !can_be_explained(t) || !(t.configuration == configuration)) continue;
    if (t.stage == "confirm" && !confirmed) trials.clear();
    confirmed = confirmed || t.stage == "confirm";
    if ((t.stage == "confirm") == confirmed) trials.push_back(&t);
  }
  if (trials.empty()) return nullptr;
  std::stable_sort(trials.begin(), trials.end(), [](const auto* a, const auto* b) { return a->images_per_s->mean < b->images_per_s->mean; });
  return trials[(trials.size() - 1) / 2];
}

struct Subject {
  const TrialResult* trial;
  std::string role;
};

std::vector<Subject> subjects_of(const Run& run) {
  const Recommendation r = run.recommendation ? *run.recommendation : recommend(run, {.within = run.spec.within});
  std::vector<Subject> subjects;
  for (const auto& [candidate, role] : {std::pair{&r.current, "current"}, std::pair{&r.recommended, "recommended"}, std::pair{&r.baseline, "baseline"}}) {
    if (!*candidate) continue;
    const TrialResult* trial = middle_trial(run, (*candidate)->configuration);
    const bool known = std::any_of(subjects.begin(), subjects.end(), [&](const Subject& s) { return s.trial == trial; });
    if (trial != nullptr && !known) subjects.push_back({trial, role});
  }
  if (!subjects.empty()) return subjects;
  const TrialResult* fastest = nullptr;
  for (const TrialResult& t : run.trials)
    if (is_of_the_search(t) && can_be_explained(t) && (fastest == nullptr || t.images_per_s->mean > fastest->images_per_s->mean)) fastest = &t;
  if (fastest != nullptr) subjects.push_back({fastest, "trial"});
  return subjects;
}

std::string why_nothing(const Run& run) {
  const auto failed = std::find_if(run.trials.begin(), run.trials.end(), [](const TrialResult& t) { return is_of_the_search(t) && t.status != TrialStatus::ok; });
  if (failed != run.trials.end())
    return fmt::format("no trial that could be explained: {} ({}: {})", "the first to fail", to_text(failed->status), single_line(failed->reason));
  return run.trials.empty() ? "no trials in it: nothing was measured" : "no whole trial in it, only parts measured alone";
}

}  // namespace

Explanation explain(const Run& as_loaded, std::optional<std::int64_t> trial, const std::string& where) {
  const Run run = with_possible_figures(as_loaded);
  const std::vector<Subject> subjects = trial ? std::vector<Subject>{{&asked_for(run, *trial, where), "trial"}} : subjects_of(run);
  if (subjects.empty()) throw InputError(where, why_nothing(run));
  const Measurements data = gather(run);
  const GainEstimator gains(run, data);
  Explanation explanation;
  for (const Subject& subject : subjects) {
    const TrialResult& t = *subject.trial;
    const RuleInput input{run, t, data, gains, exposure_of(t), worker_times(t)};
    Judged judged = judge_trial(input);
    TrialExplanation e;
    e.id = t.id;
    e.role = subject.role;
    e.configuration = t.configuration;
    e.images_per_s = t.images_per_s;
    if (input.exposure.step_ms > 0) e.step_ms = input.exposure.step_ms;
    e.waiting_share = input.exposure.data + input.exposure.other;
    e.copying_share = input.exposure.copy;
    e.has_primary = judged.has_primary;
    e.findings = std::move(judged.findings);
    if (explanation.trials.empty()) explanation.run = judge_run(input);
    explanation.trials.push_back(std::move(e));
    explanation.modelled = explanation.modelled || t.modelled;
  }
  return explanation;
}

}  // namespace feedtune
