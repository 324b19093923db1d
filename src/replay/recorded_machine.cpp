#include "replay/recorded_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/counted.hpp"
#include "measure/batch_means.hpp"
#include "measure/statistics.hpp"

namespace feedtune {
namespace {

constexpr std::size_t least_steps = 20;  ///< fewer say nothing about how they vary

bool worked(const TrialResult& run) { return run.status == TrialStatus::ok; }

std::vector<const TrialResult*> those_that_worked(const std::vector<TrialResult>& runs) {
  std::vector<const TrialResult*> found;
  for (const TrialResult& run : runs)
    if (worked(run)) found.push_back(&run);
  return found;
}

/// From the run's step times, as shares of the mean. Blocks of sqrt(n) steps: longer than a round of the workers. The
/// samples are part of a longer window, whose mean is better known.
Interval from_steps(const TrialResult& run) {
  const std::vector<double> steps(run.step_us.begin(), run.step_us.end());
  const auto count = static_cast<double>(steps.size());
  const Interval mean_step = block_bootstrap(steps, static_cast<std::size_t>(std::ceil(std::sqrt(count))), 400, 1);
  const double narrower = std::sqrt(count / std::max(count, static_cast<double>(run.measured_steps)));
  // A longer step is a lower rate.
  return {.mean = 1,
          .low = 1 - narrower * (mean_step.high / mean_step.mean - 1),
          .high = 1 + narrower * (1 - mean_step.low / mean_step.mean),
          .n = mean_step.n};
}

Interval relative_interval(const TrialResult& run) {
  if (run.step_us.size() >= least_steps && *std::min_element(run.step_us.begin(), run.step_us.end()) > 0) return from_steps(run);
  const Interval& rate = *run.images_per_s;
  return {.mean = 1, .low = rate.low / rate.mean, .high = rate.high / rate.mean, .n = rate.n};
}

double relative_se(const Interval& relative) { return (relative.high - relative.low) / 2 / 1.96; }

double root_mean_square(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

double stretch(std::size_t runs) { return std::sqrt(static_cast<double>(runs) / static_cast<double>(runs - 1)); }

}  // namespace

RecordedMachine::RecordedMachine(RecordedGrid grid, std::uint64_t seed) : seed_(seed) {
  const auto recorded = std::make_shared<Recorded>(Recorded{.grid = std::move(grid)});
  for (const auto& [purpose, configurations] : recorded->grid.runs)
    for (const auto& [configuration, runs] : configurations) recorded->set_rates(runs);
  recorded->set_scatter();
  recorded_ = recorded;
}

RecordedMachine RecordedMachine::with_seed(std::uint64_t seed) const {
  RecordedMachine other = *this;
  other.seed_ = seed;
  return other;
}

void RecordedMachine::Recorded::set_scatter() {
  std::vector<double> own;
  std::int64_t repeated = 0, once = 0;
  for (const auto& [configuration, runs] : grid.trials()) {
    const auto ok = those_that_worked(runs);
    repeated += ok.size() > 1 ? 1 : 0;
    once += ok.size() == 1 ? 1 : 0;
    for (const TrialResult* run : ok) {
      const Rate& rate = rates.at(run);
      if (!rate.alone) distances_log.push_back(rate.distance_log);
      if (rate.relative.n > 1) own.push_back(relative_se(rate.relative));
    }
  }
  own_scatter = median(own);
  noise_note = "noise: that of each configuration's own runs";
  if (once == 0) return;
  const double scatter = distances_log.empty() ? own_scatter : root_mean_square(distances_log);
  const std::string source = !distances_log.empty() ? "as the " + counted(repeated, "repeated configuration") + " scatter"
                             : !own.empty()         ? "as single runs vary within themselves, for nothing was run twice"
                                                    : "for nothing was run twice: this replay has no noise";
  noise_note = fmt::format("noise: {} with a single run {} {:.2g} % ({})", counted(once, "configuration"), once == 1 ? "is given" : "are given",
                           100 * scatter, source);
}

double RecordedMachine::Recorded::noise_of(const Rate& rate, SeededDraw& random) const {
  if (!rate.alone) return rate.distance_log;
  return distances_log.empty() ? own_scatter * random.normal() : distances_log[random.index(distances_log.size())];
}

void RecordedMachine::Recorded::set_rates(const std::vector<TrialResult>& runs) {
  const auto centre = recorded_rate(runs);
  if (!centre) return;
  const auto ok = those_that_worked(runs);
  for (const TrialResult* run : ok) {
    Rate& rate = rates[run];
    rate.centre_log = std::log(*centre);
    rate.alone = ok.size() == 1;
    if (!rate.alone) rate.distance_log = stretch(ok.size()) * (std::log(run->images_per_s->mean) - rate.centre_log);
    rate.relative = relative_interval(*run);
  }
}

TrialResult RecordedMachine::answer(const TrialRequest& request, double) const {
  const auto purpose = grid().runs.find(request.purpose);
  const RecordedRuns* configurations = purpose == grid().runs.end() ? nullptr : &purpose->second;
  const auto found = configurations == nullptr ? RecordedRuns::const_iterator{} : configurations->find(request.configuration);
  if (configurations == nullptr || found == configurations->end()) {
    TrialResult refused;
    refused.status = TrialStatus::unsupported;
    refused.reason = fmt::format("not recorded: {} {}", to_text(request.purpose), request.configuration.key());
    return refused;
  }
  const std::vector<TrialResult>& runs = found->second;
  SeededDraw random(seed_, static_cast<std::uint64_t>(request.id));
  const TrialResult& drawn = runs[random.index(runs.size())];
  TrialResult result = drawn;
  result.step_us.clear();  // they are of another rate
  if (!worked(drawn)) return result;
  const Rate& rate = recorded_->rates.at(&drawn);
  const double mean = std::exp(rate.centre_log + recorded_->noise_of(rate, random));
  result.images_per_s = Interval{mean, mean * rate.relative.low, mean * rate.relative.high, rate.relative.n};
  return result;
}

std::optional<double> RecordedMachine::true_images_per_s(const Configuration& configuration) const {
  const auto found = grid().trials().find(configuration);
  return found == grid().trials().end() ? std::nullopt : recorded_rate(found->second);
}

}  // namespace feedtune
