#include "analyze/recommend_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "analyze/roles.hpp"

namespace feedtune {
namespace {

struct Failures {
  int total = 0;
  int searched = 0;
  std::map<TrialStatus, int> by_status;
  std::map<TrialStatus, std::string> reason;  ///< of the first
};

Failures count_failures(const Run& run) {
  Failures f;
  for (const TrialResult& t : run.trials) {
    if (!is_of_the_search(t)) continue;
    f.searched += 1;
    if (t.status == TrialStatus::ok) continue;
    f.total += 1;
    f.by_status[t.status] += 1;
    if (f.reason[t.status].empty()) f.reason[t.status] = t.reason;
  }
  return f;
}

std::string describe(const Failures& f) {
  std::string text;
  for (const auto& [status, count] : f.by_status) {
    const std::string& reason = f.reason.at(status);
    text += fmt::format("{}{} {}{}", text.empty() ? "" : "; ", count, to_text(status),
                        reason.empty() ? "" : fmt::format(" ({}: {})", count > 1 ? "first" : "because", reason));
  }
  return text;
}

void warn_of_confidence(const WarningInput& input, Recommendation& r) {
  const Measured& best = *input.choice->best->measured;
  const Measured& recommended = *input.choice->recommended->measured;
  const int blocks = std::min(best.blocks(), recommended.blocks());
  if (!best.confirmed())
    r.warnings.push_back(
        "nothing was measured again after the search: these are single trials, and the best of many single trials "
        "looks "
        "faster than it is; give a larger budget");
  else if (blocks < min_blocks)
    r.warnings.push_back(fmt::format("measured again only {}, want at least {} times: give a larger budget",
                                     blocks == 1 ? "once" : fmt::format("{} times", blocks), min_blocks));
  if (input.choice->recommended->verdict == Verdict::undecided)
    r.warnings.push_back(fmt::format(
        "no setting is proven to be within {:.3g} % of the best yet; the recommended one is the cheapest that "
        "may be, of those measured often enough",
        100 * r.within));
  const auto open = std::count_if(input.choice->open.begin(), input.choice->open.end(),
                                  [&](const Standing* s) { return s != input.choice->recommended; });
  if (open > 0 && input.choice->recommended->verdict != Verdict::undecided)
    r.warnings.push_back(fmt::format("{} that {} cheaper or could be faster {} not told apart from it yet",
                                     open == 1 ? "1 setting" : fmt::format("{} settings", open),
                                     open == 1 ? "is" : "are", open == 1 ? "is" : "are"));
}

std::string why_it_stopped(const Run& run) {
  for (const RunNote& note : run.notes)
    if (note.kind == "interrupted" || note.kind == "budget") return " (" + note.text + ")";
  return "";
}

using IsOfKind = bool (FileNote::*)() const;

/// "a/b.jpg: failed: empty file"
std::string first_file(const Run& run, IsOfKind is_of_kind) {
  for (const TrialResult& t : run.trials)
    for (const FileNote& note : t.files)
      if (t.stage != "anchor" && (note.*is_of_kind)()) return fmt::format("{}: {}", note.path, note.reason);
  return "no name is known";
}

void warn_of_data(const Run& run, Recommendation& r) {
  for (const std::string& note : run.data.notes)
    if (note.starts_with("skipped")) r.warnings.push_back("of the data were " + note);
  ImageCounts sum;
  for (const TrialResult& t : run.trials) {
    if (t.stage == "anchor") continue;  // of feedtune's own images
    sum.decoded += t.images.decoded;
    sum.damaged += t.images.damaged;
    sum.failed += t.images.failed;
  }
  const auto percent = [&](std::int64_t count) {
    return 100 * static_cast<double>(count) / static_cast<double>(sum.decoded + sum.failed);
  };
  if (sum.failed > 0)
    r.warnings.push_back(fmt::format(
        "{:.3g} % of the images that were asked for could not be read or decoded; images/s counts the others only, and "
        "most training scripts stop at such a file (first: {})",
        percent(sum.failed), first_file(run, &FileNote::failed)));
  if (sum.damaged > 0)
    r.warnings.push_back(fmt::format(
        "{:.3g} % of the images that were asked for are damaged: decoded as far as they go, which is quicker than whole "
        "ones, and most training scripts stop at such a file (first: {})",
        percent(sum.damaged), first_file(run, &FileNote::damaged)));
}

/// Somebody else's axes: whether their loader is one of PyTorch's is not feedtune's to say.
bool has_loaders(const Measurements& data) {
  return std::any_of(data.all.begin(), data.all.end(), [](const Measured& m) { return m.configuration.has("loader"); });
}

void warn_of_roles(const Run& run, const Measurements& data, Recommendation& r) {
  if (!r.baseline) r.warnings.push_back("the baseline was not measured: no gain over it can be given");
  if (run.spec.current && !r.current)
    r.warnings.push_back("the current configuration was not measured: no gain over it can be given");
  if (!r.pytorch && has_loaders(data))
    r.warnings.push_back(
        "no setting that PyTorch's DataLoader can take was measured (loader batch_per_worker, decoder "
        "turbo_full, input_type float32)");
}

/// The trials of that configuration that swung, if most of them did; the longest seen is described.
const TrialResult* swinging(const Run& run, const Configuration& configuration) {
  const TrialResult* longest = nullptr;
  int measured = 0, swung = 0;
  for (const TrialResult& t : run.trials) {
    if (t.status != TrialStatus::ok || !is_of_the_search(t) || t.configuration != configuration) continue;
    ++measured;
    if (!t.oscillation) continue;
    ++swung;
    if (longest == nullptr || t.oscillation->periods > longest->oscillation->periods) longest = &t;
  }
  return 2 * swung > measured ? longest : nullptr;
}

std::string swing_text(const TrialResult& trial) {
  const Oscillation& o = *trial.oscillation;
  std::string text = fmt::format("the device's use swings between {:.0f} % and {:.0f} % every {:.2g} s (high for {:.0f} % of the time)",
                                 100 * o.low, 100 * o.high, o.period_s, 100 * o.duty);
  const bool waits = o.waiting && *o.waiting >= 0.5;
  if (waits)
    text += fmt::format(": for {:.0f} % of its idle time the training thread waits for a batch", 100 * *o.waiting);
  else if (o.copying && *o.copying >= 0.5)
    text += fmt::format(": for {:.0f} % of its idle time the training thread pins or copies", 100 * *o.copying);
  const auto workers = trial.configuration.integer("num_workers");
  if (waits && trial.configuration.text("loader") == "batch_per_worker" && workers && *workers > 1 && trial.measured_s > 0) {
    const double steps = o.period_s / trial.measured_s * static_cast<double>(trial.measured_steps);
    if (std::abs(steps / static_cast<double>(*workers) - 1) < 0.25)
      text += fmt::format("; a period is one round of the {} workers, whose batches come together", *workers);
  }
  return text;
}

/// A mean hides it: a device in use for 40 % may be one that is idle and at full use by turns.
void warn_of_swings(const Run& run, Recommendation& r) {
  std::vector<const TrialResult*> told;
  const auto tell = [&](const char* role, const std::optional<Candidate>& candidate) {
    if (!candidate) return;
    const TrialResult* trial = swinging(run, candidate->configuration);
    if (trial == nullptr || std::find(told.begin(), told.end(), trial) != told.end()) return;
    told.push_back(trial);
    r.warnings.push_back(fmt::format("with the {} settings {}", role, swing_text(*trial)));
  };
  tell("recommended", r.recommended);
  tell("current", r.current);
  tell("baseline's", r.baseline);
}

}  // namespace

void add_warnings(const Run& run, const WarningInput& input, Recommendation& r) {
  const Failures failures = count_failures(run);
  if (input.choice == nullptr) {
    r.warnings.push_back(failures.searched == 0 ? "no setting was tried" + why_it_stopped(run)
                                                : fmt::format("no trial worked: {}", describe(failures)));
    warn_of_data(run, r);
    return;
  }
  if (input.relaxed)
    r.warnings.push_back(
        "every setting that worked failed once or leaves less than 10 % of device memory free: add a "
        "smaller batch_size");
  if (input.headline.current_batch_failed)
    r.warnings.push_back("nothing usable was measured at the current batch size, so the headline is another one");
  warn_of_confidence(input, r);
  warn_of_data(run, r);
  if (r.batch_changed)
    r.warnings.push_back(
        "a different batch size changes training: the learning rate has to follow (a common start is to "
        "scale it with the batch, with warm-up: Goyal et al. 2017; no promise that accuracy holds)");
  warn_of_swings(run, r);
  warn_of_roles(run, input.data, r);
  if (failures.total > 0)
    r.warnings.push_back(
        fmt::format("{} of {} trials gave no result: {}", failures.total, failures.searched, describe(failures)));
  if (!run.complete) r.warnings.push_back("the sweep has not finished: this is what it knows so far");
}

}  // namespace feedtune
