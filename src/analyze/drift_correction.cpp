#include "analyze/drift_correction.hpp"

#include <cmath>
#include <map>
#include <span>
#include <string>

#include "analyze/measurements.hpp"
#include "measure/level_shift.hpp"
#include "measure/statistics.hpp"

namespace feedtune {
namespace {

/// Places of the search's usable trials of the configuration that it repeated most.
std::vector<std::size_t> repeated(const Run& run) {
  std::map<std::string, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < run.trials.size(); ++i) {
    const TrialResult& t = run.trials[i];
    if (!is_of_the_search(t) || t.stage == "confirm" || t.status != TrialStatus::ok || !t.images_per_s) continue;
    if (std::isfinite(t.images_per_s->mean) && t.images_per_s->mean > 0) places[t.configuration.key()].push_back(i);
  }
  std::vector<std::size_t> most;
  for (const auto& [key, found] : places)
    if (found.size() > most.size()) most = found;
  return most;
}

}  // namespace

DriftCorrection::DriftCorrection(const Run& run) : run_(run) {
  const std::vector<std::size_t> references = repeated(run);
  LevelWatch watch;
  std::vector<LevelShift> found;
  std::vector<double> values;
  for (const std::size_t place : references) {
    const Interval& rate = *run.trials[place].images_per_s;
    values.push_back(std::log(rate.mean));
    if (const auto shift = watch.tell(values.back(), (rate.high - rate.low) / 2 / 1.96 / rate.mean)) found.push_back(*shift);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = found[i].begin;
    const std::size_t from = i == 0 ? 0 : found[i - 1].begin, to = i + 1 == found.size() ? values.size() : found[i + 1].begin;
    // Each level by all of its references, not only by the two that gave it away.
    const auto before = std::span<const double>(values).subspan(from, begin - from);
    const auto after = std::span<const double>(values).subspan(begin, to - begin);
    // 1.25: a median's standard error over a mean's.
    const double sd = 1.25 * found[i].sd * std::sqrt(1 / static_cast<double>(before.size()) + 1 / static_cast<double>(after.size()));
    shifts_.push_back({references[begin - 1], references[begin], median(after) - median(before), sd});
  }
}

DriftCorrection::Change DriftCorrection::of(const TrialResult& trial) const {
  const auto place = static_cast<std::size_t>(&trial - run_.trials.data());
  Change change;
  for (const Shift& shift : shifts_) {
    if (place >= shift.first_after) continue;
    const bool known = place <= shift.last_before;
    change.log_rate += known ? shift.log_change : shift.log_change / 2;
    // In between anything from none of it to all: uniform.
    change.sd = std::hypot(change.sd, shift.sd, known ? 0 : shift.log_change / std::sqrt(12.0));
  }
  return change;
}

}  // namespace feedtune
