#include "search/belief.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/batch_slots.hpp"
#include "core/enums.hpp"
#include "measure/statistics.hpp"

namespace feedtune {
namespace {

/// Priors of the smooth part's sd: of what is left beside the predictor, and of everything.
constexpr double left_by_predictor = 0.08, of_everything = 0.4;
constexpr double memory_share_allowed = 0.9;
constexpr int most_unsettled = 2;
/// Reach of what one trial says of its neighbours' failing and cost, in coordinates.
constexpr double neighbourhood = 0.35;
/// Weight of the belief that 2 % fail, in trials.
constexpr double failure_prior_weight = 0.5, failure_prior = 0.02;
/// Of what trials cost over their plan in the mean, in trials.
constexpr double cost_prior_weight = 1;
constexpr double start_up_s = 0.3;

bool worked(const TrialResult& t) {
  return t.status == TrialStatus::ok && t.images_per_s && std::isfinite(t.images_per_s->mean) && t.images_per_s->mean > 0;
}

double squared_relative_se(const Interval& i) {
  if (i.n < 2 || !(i.high >= i.low) || !std::isfinite(i.high)) return 0;
  const double se = (i.high - i.low) / (2 * 1.96 * i.mean);
  return se * se;
}

PipelineFacts facts_of(const SearchProblem& problem) {
  const double logical = std::max(1.0, problem.context.effective_cpus);
  const DeviceFacts& device = problem.context.device;
  return {.cores = {.physical = std::clamp(problem.physical_cores.value_or(logical), 1.0, logical), .logical = logical},
          .copies = device.copies,
          .step_on_cores = device.name == "cpu",
          .image_size = problem.image_size};
}

}  // namespace

Belief::Belief(std::vector<Configuration> space, const SearchProblem& problem)
    : space_(std::move(space)),
      coordinates_(coordinates_of(space_)),
      context_(problem.context),
      target_s_(problem.target.max_time_s),
      predictor_(space_, facts_of(problem), problem.components),
      with_predictor_(coordinates_.axes, coordinates_.points, left_by_predictor),
      alone_(coordinates_.axes, coordinates_.points, of_everything),
      measured_(space_.size()),
      unsettled_(space_.size()),
      failed_(space_.size()),
      allowed_(space_.size(), true),
      failure_odds_(space_.size(), failure_prior),
      costs_(space_.size(), 1.0),
      expected_(space_.size()),
      beliefs_(space_.size()) {
  update();
}

void Belief::tell(std::span<const TrialResult> results) {
  for (const TrialResult& result : results) {
    const auto found = std::lower_bound(space_.begin(), space_.end(), result.configuration);
    if (found == space_.end() || *found != result.configuration || result.purpose != Purpose::trial) continue;
    const auto index = static_cast<std::size_t>(found - space_.begin());
    dominance_.tell(result);
    memory_law_.tell(result);
    told_.push_back({index, worked(result), result.cost_s});
    if (!worked(result)) {
      const bool noise = result.status == TrialStatus::too_short || result.status == TrialStatus::no_steady_state;
      if (!noise || ++unsettled_[index] >= most_unsettled) failed_[index] = true;
      continue;
    }
    ++measured_[index];
    worked_.push_back(result);
    worked_.back().step_us.clear();
    observations_.push_back({.point = index,
                             .order = static_cast<double>(told_.size()),
                             .value = std::log(result.images_per_s->mean),
                             .least_variance = squared_relative_se(*result.images_per_s)});
  }
}

void Belief::update() {
  judge_allowed();
  fit_values();
  weigh_neighbours();
}

void Belief::judge_allowed() {
  for (std::size_t i = 0; i < space_.size(); ++i) {
    allowed_[i] = !failed_[i];
    if (!allowed_[i]) continue;
    if (measured_[i] == 0 && dominance_.ran_out(space_[i])) allowed_[i] = false;
    if (memory_law_.device_share(space_[i]).value_or(0) > memory_share_allowed) allowed_[i] = false;
    if (measured_[i] == 0 && context_.planned_device_bytes && context_.device.memory_bytes)
      if (const auto bytes = context_.planned_device_bytes(space_[i]))
        if (static_cast<double>(*bytes) > memory_share_allowed * static_cast<double>(*context_.device.memory_bytes)) allowed_[i] = false;
  }
}

double Belief::planned_cost_s(std::size_t i) const {
  const Configuration& c = space_[i];
  double measured_s = target_s_;
  if (const auto batch = c.integer("batch_size"); batch && (predicted_ || !observations_.empty())) {
    const auto kind = enum_from_text<LoaderKind>(c.text("loader").value_or("")).value_or(LoaderKind::batch_per_worker);
    const std::int64_t images = images_of_shortest_trial(kind, *batch, c.integer("num_workers").value_or(0), c.integer("prefetch").value_or(2),
                                                         c.integer("ready_batches").value_or(4));
    measured_s = std::max(measured_s, static_cast<double>(images) * std::exp(-beliefs_[i].mean));
  }
  return start_up_s + measured_s;
}

void Belief::weigh_neighbours() {
  std::vector<double> planned(space_.size());
  for (std::size_t i = 0; i < space_.size(); ++i) costs_[i] = planned[i] = planned_cost_s(i);
  if (told_.empty()) return;
  std::vector<double> over;  // log of what trials cost over what was planned
  for (const Told& t : told_) over.push_back(std::log(std::max(t.cost_s, 1e-3) / planned[t.index]));
  const double usually_over = feedtune::mean(over);
  std::vector<double> failed_s = {start_up_s};
  for (const Told& t : told_)
    if (!t.worked) failed_s.push_back(t.cost_s);
  const double failure_s = feedtune::mean(failed_s);
  for (std::size_t i = 0; i < space_.size(); ++i) {
    double near = failure_prior_weight, failed = failure_prior_weight * failure_prior;
    double cost_weight = cost_prior_weight, cost = cost_prior_weight * usually_over;
    for (std::size_t k = 0; k < told_.size(); ++k) {
      const double gap = distance(coordinates_.axes, coordinates_.points[i], coordinates_.points[told_[k].index]) / neighbourhood;
      const double weight = std::exp(-0.5 * gap * gap);
      near += weight;
      failed += told_[k].worked ? 0 : weight;
      if (!told_[k].worked) continue;
      cost_weight += weight;
      cost += weight * over[k];
    }
    failure_odds_[i] = failed / near;
    costs_[i] = allowed_[i] ? planned[i] * std::exp(cost / cost_weight) : failure_s;
  }
}

void Belief::fit_values() {
  const auto count = observations_.size();
  // The fit of many trials takes long and changes little.
  predictor_.fit(worked_, count < 60 ? 12 : 4);
  double level = 0;
  for (const GpObservation& o : observations_) level += o.value / static_cast<double>(count);
  const bool can_predict = predictor_.fitted();
  std::vector<double> predicted(space_.size());
  std::vector<std::vector<double>> features(space_.size());
  bool whole = can_predict;
  for (std::size_t i = 0; i < space_.size() && whole; ++i) {
    // Without components whole trials alone decide the parameters, and what they leave open has to be believed as open.
    // With components the fit itself does better (results/search.md).
    if (predictor_.knows_parts()) {
      predicted[i] = predictor_.log_images_per_s(space_[i]).value_or(std::numeric_limits<double>::quiet_NaN());
    } else if (auto prediction = predictor_.predict(space_[i])) {
      predicted[i] = prediction->log_images_per_s;
      features[i] = std::move(prediction->features);
    } else {
      predicted[i] = std::numeric_limits<double>::quiet_NaN();
    }
    whole = std::isfinite(predicted[i]);
  }
  if (whole && !predictor_.knows_parts()) with_predictor_.set_features(std::move(features));
  const int steps = count < 60 ? 25 : count < 120 ? 10 : 4;
  const auto observe = [&](GaussianProcess& process, const auto& expected) {
    std::vector<GpObservation> residuals = observations_;
    for (GpObservation& o : residuals) o.value -= expected(o.point);
    process.observe(std::move(residuals), steps);
  };
  if (whole) observe(with_predictor_, [&](std::size_t i) { return predicted[i]; });
  // Later the better of the two stays the better.
  const bool compare = !whole || count < 100;
  if (compare) observe(alone_, [&](std::size_t) { return level; });
  predicted_ = whole && (compare ? count == 0 || with_predictor_.evidence() >= alone_.evidence() : predicted_);
  if (!predicted_ && !compare) observe(alone_, [&](std::size_t) { return level; });
  for (std::size_t i = 0; i < space_.size(); ++i) expected_[i] = predicted_ ? predicted[i] : level;
  beliefs_ = (predicted_ ? with_predictor_ : alone_).beliefs();
  for (std::size_t i = 0; i < space_.size(); ++i) beliefs_[i].mean += expected_[i];
}

Draws Belief::draw(std::vector<std::size_t> members, int count, std::mt19937_64& random) const {
  const GaussianProcess::Joint joint = (predicted_ ? with_predictor_ : alone_).joint(members);
  const std::size_t size = members.size();
  const auto uniform = [&random] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  Draws draws;
  std::vector<double> z(size + 1);
  for (int d = 0; d < count; ++d) {
    for (std::size_t k = 0; k < size; k += 2) {  // Box and Muller 1958
      const double radius = std::sqrt(-2 * std::log(uniform())), angle = 2 * std::numbers::pi * uniform();
      z[k] = radius * std::cos(angle);
      z[k + 1] = radius * std::sin(angle);
    }
    std::vector<double> values(size);
    for (std::size_t a = 0; a < size; ++a) {
      double sum = joint.mean[a] + expected_[members[a]];
      for (std::size_t b = 0; b <= a; ++b) sum += joint.factor[a * size + b] * z[b];
      values[a] = sum;
    }
    draws.values.push_back(std::move(values));
  }
  draws.members = std::move(members);
  return draws;
}

}  // namespace feedtune
