#include "sweep/trial_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/counted.hpp"
#include "core/enums.hpp"
#include "core/error.hpp"
#include "sweep/trial_length.hpp"

namespace feedtune {

TrialBook::TrialBook(const SweepPlan& plan, TrialRunner& runner, const SweepHooks& hooks, const Run* recorded)
    : runner_(runner),
      hooks_(hooks),
      recorded_(recorded),
      run_(plan.header),
      recorded_space_(plan.space.recorded),
      spending_(plan.header.spec.budget),
      mark_s_(runner.now_s()) {
  status_.budget = plan.header.spec.budget;
  if (recorded == nullptr) return;
  run_.started = recorded->started;
  for (const RunNote& note : recorded->notes)
    if (note.kind != "interrupted") run_.notes.push_back(note);  // it goes on now
}

void TrialBook::start_stage(const std::string& stage, std::optional<int> planned) {
  status_.stage = stage;
  status_.done = 0;
  status_.planned = planned;
  if (hooks_.observer != nullptr) hooks_.observer->stage_started(status_, run_);
}

std::optional<TrialResult> TrialBook::measure(TrialRequest request, const TrialSetup& base) {
  request.id = ++last_id_;
  request.stage = status_.stage;
  std::optional<TrialResult> result;
  if (replaying()) {
    result = replay(request);
  } else {
    if (!recorded_space_) request.setup = apply(request.configuration, base);
    request.time_limit_s = time_limit_s(request, run_);
    result = run_live(request);
  }
  if (!result) return result;
  keep(*result);
  note_if_not_warm(request, *result);
  return result;
}

TrialResult TrialBook::replay(const TrialRequest& request) {
  const TrialResult& recorded = recorded_->trials[replayed_];
  if (recorded.id != request.id || recorded.stage != request.stage || recorded.purpose != request.purpose ||
      recorded.block != request.block || recorded.configuration != request.configuration)
    throw InputError("resume", fmt::format("trial {} of the run is {} {}, but this plan has {} {} in its place; was it begun by "
                                           "another version? Start a new run",
                                           recorded.id, recorded.stage, recorded.configuration.key(), request.stage,
                                           request.configuration.key()));
  if (++replayed_ == recorded_->trials.size())
    note("resumed", fmt::format("resumed with {} measured before", counted(std::ssize(recorded_->trials), "trial")));
  return recorded;
}

std::optional<TrialResult> TrialBook::run_live(const TrialRequest& request) {
  const auto stop = [this](const std::string& why) {
    stopped_ = why;
    return std::nullopt;
  };
  const std::string by_user = "by the user; --resume goes on";
  if (hooks_.stop_requested && hooks_.stop_requested()) return stop(by_user);
  if (hooks_.observer != nullptr) hooks_.observer->trial_started(request, status_);
  TrialResult result = runner_.run(request, [&](const TrialProgress& progress) {
    if (hooks_.observer != nullptr) hooks_.observer->trial_progress(request, progress, status_);
  });
  if (result.stop_reason == "interrupted") return stop(by_user);
  // Not recorded: it says nothing about its configuration, and no later trial could be compared with those before.
  if (result.stop_reason == "data_changed") return stop(result.reason + "; --resume goes on once the data is as it was");
  result.id = request.id;
  result.configuration = request.configuration;
  result.purpose = request.purpose;
  result.stage = request.stage;
  result.block = request.block;
  result.order = static_cast<int>(run_.trials.size()) + 1;
  const double now = runner_.now_s();
  result.cost_s = now - std::exchange(mark_s_, now);
  if (hooks_.sink != nullptr) hooks_.sink->append(result);
  return result;
}

void TrialBook::keep(const TrialResult& result) {
  run_.trials.push_back(result);
  spending_.charge(result.stage, result.cost_s);
  ++status_.done;
  status_.trials = spending_.trials();
  status_.spent_s = spending_.seconds();
  if (hooks_.observer != nullptr) hooks_.observer->trial_finished(result, status_);
}

void TrialBook::note_if_not_warm(const TrialRequest& request, const TrialResult& result) {
  if (request.target.cache != CachePolicy::warm || request.stage == "anchor") return;
  if (std::any_of(run_.notes.begin(), run_.notes.end(), [](const RunNote& note) { return note.kind == "cache"; })) return;
  const auto& share = result.host.cache_resident_share;
  if (share && *share < warm_enough)
    note("cache", fmt::format("trial {} began with {:.0f} % of the data in the page cache: it is more than memory holds, or could not "
                              "be read in time; trials measure the storage too, and one may find more of it cached than another",
                              result.id, 100 * *share));
  else if (const auto unknown = result.unknown.find("cache_resident_share"); !share && unknown != result.unknown.end())
    note("cache", fmt::format("how much of the data is in the page cache cannot be told here ({}); it was read once, before the "
                              "first trial",
                              unknown->second));
}

void TrialBook::note(const std::string& kind, const std::string& text) {
  const bool known = std::any_of(run_.notes.begin(), run_.notes.end(), [&](const RunNote& note) {
    return note.kind == kind && note.text == text;
  });
  if (known) return;
  run_.notes.push_back({kind, text});
  if (hooks_.sink != nullptr) hooks_.sink->append(run_.notes.back());
  if (hooks_.observer != nullptr) hooks_.observer->noted(run_.notes.back());
}

Run TrialBook::take() { return std::move(run_); }

}  // namespace feedtune
