#include "replay/recorded_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "measure/statistics.hpp"
#include "replay/seeded_draw.hpp"

namespace feedtune {
namespace {

bool worked(const TrialResult& trial) { return trial.status == TrialStatus::ok; }

void check(const TrialResult& trial, const std::string& where) {
  const auto fail = [&](const char* field, double value) {
    throw InputError(where, fmt::format("trial {}: {} is {}, want a number above 0: this trial cannot be replayed", trial.id, field, value));
  };
  if (!(trial.cost_s > 0)) fail("cost_s", trial.cost_s);
  const double rate = trial.images_per_s ? trial.images_per_s->mean : 0;
  if (worked(trial) && !(rate > 0)) fail("images_per_s", rate);
}

}  // namespace

RecordedGrid grid_of(const Run& run, const std::string& where) {
  RecordedGrid grid;
  grid.origin = run;
  grid.origin.trials.clear();
  grid.origin.notes.clear();
  grid.origin.recommendation.reset();
  RecordedRuns& trials = grid.runs[Purpose::trial];
  bool any = false;
  for (const TrialResult& trial : run.trials) {
    if (trial.stage == "anchor") continue;
    check(trial, where);
    grid.runs[trial.purpose][trial.configuration].push_back(trial);
    any = any || (trial.purpose == Purpose::trial && worked(trial));
  }
  if (!any)
    throw InputError(where, trials.empty() ? "no trial of a search in it: nothing to replay" : "no trial in it worked: nothing to replay");
  return grid;
}

std::optional<double> recorded_rate(const std::vector<TrialResult>& runs) {
  Moments logs;
  for (const TrialResult& run : runs)
    if (worked(run)) logs.add(std::log(run.images_per_s->mean));
  return logs.count() == 0 ? std::nullopt : std::optional(std::exp(logs.mean()));
}

double fastest_recorded_rate(const RecordedGrid& grid) {
  double fastest = 0;
  for (const auto& [configuration, runs] : grid.trials()) fastest = std::max(fastest, recorded_rate(runs).value_or(0));
  return fastest;
}

double exhaustive_cost_s(const RecordedGrid& grid) {
  double sum = 0;
  for (const auto& [configuration, runs] : grid.trials()) {
    Moments costs;
    for (const TrialResult& run : runs) costs.add(run.cost_s);
    sum += costs.mean();
  }
  return sum;
}

std::string digest_of(const RecordedGrid& grid) {
  std::string text;
  for (const auto& [purpose, configurations] : grid.runs)
    for (const auto& [configuration, runs] : configurations) {
      text += fmt::format("{} {}\n", to_text(purpose), configuration.key());
      for (const TrialResult& run : runs) {
        const Interval rate = run.images_per_s.value_or(Interval{});
        text += fmt::format("{} {} {} {} {} {} {}\n", to_text(run.status), rate.mean, rate.low, rate.high, rate.n, run.cost_s,
                            fmt::join(run.step_us, ","));
      }
    }
  return fmt::format("{:016x}", stream_of(text));
}

RecordedGrid all_equal(RecordedGrid grid) {
  const double common = fastest_recorded_rate(grid);
  for (auto& [configuration, runs] : grid.runs.at(Purpose::trial)) {
    const auto own = recorded_rate(runs);
    if (!own) continue;
    for (TrialResult& run : runs) {
      if (!worked(run)) continue;
      Interval& rate = *run.images_per_s;
      for (double* value : {&rate.mean, &rate.low, &rate.high}) *value *= common / *own;
    }
  }
  return grid;
}

}  // namespace feedtune
