#include "analyze/expected_gain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analyze/race.hpp"
#include "measure/statistics.hpp"
#include "measure/student_t.hpp"
#include "predict/gaussian_process.hpp"
#include "predict/pipeline_predictor.hpp"

namespace feedtune {
namespace {

constexpr double least_misfit = 0.03, misfit_weight = 1.2;  // METHOD.md 2.4
constexpr int fit_steps = 30;
constexpr double smooth_prior = 0.08;  // of what the predictor leaves, as search/belief has it
constexpr double most_log_ratio = 7;   // beyond a factor of 1,000 a prediction is none

bool worked(const TrialResult& t) {
  return t.status == TrialStatus::ok && t.images_per_s && std::isfinite(t.images_per_s->mean) && t.images_per_s->mean > 0;
}

Interval from_logs(double mean, double half_width, std::int64_t n) {
  return {std::exp(mean), std::exp(mean - half_width), std::exp(mean + half_width), n};
}

std::string changes_text(const Configuration& from, const GainEstimator::Changes& changes) {
  std::string text;
  for (const auto& [axis, value] : changes) {
    const auto before = from.values().find(axis);
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", axis, before == from.values().end() ? "" : to_text(before->second) + " -> ", to_text(value));
  }
  return text;
}

/// What follows from a change: axes that had no meaning before, or have none after.
Configuration changed(const Configuration& from, const GainEstimator::Changes& changes) {
  Configuration to = from;
  for (const auto& [axis, value] : changes) to.set(axis, value);
  const bool workers = to.integer("num_workers").value_or(0) > 0, pooled = to.text("loader") == "pooled";
  if (from.integer("num_workers") == 0 && workers) {
    if (pooled) to.set("ready_batches", std::int64_t{4});
    else to.set("prefetch", std::int64_t{2});
  }
  if (to.text("host_memory") == "pinned" && from.text("host_memory") == "pageable" && from.has("transfer")) to.set("transfer", std::string("overlapped"));
  return to;
}

/// Agree in every axis that both have; an axis that only one has has collapsed or follows from a default.
bool agree(const Configuration& a, const Configuration& b) {
  return std::all_of(a.values().begin(), a.values().end(), [&](const auto& entry) {
    const auto other = b.values().find(entry.first);
    return other == b.values().end() || other->second == entry.second;
  });
}

bool numeric_law(const std::string& axis) {
  static const std::set<std::string> known = {"batch_size", "num_workers", "prefetch", "ready_batches"};
  return known.contains(axis);
}

}  // namespace

ExpectedGain no_gain(std::string why) { return {"", std::nullopt, std::move(why)}; }

struct GainEstimator::State {
  const Run& run;
  const Measurements& data;
  std::vector<TrialResult> components{}, trials{};
  std::vector<Configuration> space{};
  bool tried = false;
  std::optional<PipelinePredictor> predictor{};
  double misfit = least_misfit;

  void collect() {
    for (const TrialResult& t : run.trials) {
      if (!worked(t) || t.stage == "anchor") continue;
      (t.purpose == Purpose::trial ? trials : components).push_back(t);
      space.push_back(t.configuration);
    }
  }

  void fit(const std::vector<Configuration>& more) {
    std::vector<Configuration> all = space;
    all.insert(all.end(), more.begin(), more.end());
    const double logical = std::max(1.0, run.machine.cpus.effective);
    const auto cores = run.machine.facts.find("cores");
    const auto* physical = cores != run.machine.facts.end() && cores->second.value ? std::get_if<std::int64_t>(&*cores->second.value) : nullptr;
    predictor.emplace(all,
                      PipelineFacts{.cores = {.physical = std::clamp(physical == nullptr ? logical : static_cast<double>(*physical), 1.0, logical), .logical = logical},
                                    .copies = run.device.copies,
                                    .step_on_cores = run.device.name == "cpu",
                                    .image_size = run.spec.image_size},
                      components);
    predictor->fit(trials, fit_steps);
    std::vector<double> misses;
    if (predictor->fitted())
      for (const TrialResult& t : trials)
        if (const auto log = predictor->log_images_per_s(t.configuration)) misses.push_back(*log - std::log(t.images_per_s->mean));
    misfit = std::max(least_misfit, misfit_weight * robust_deviation(misses));
  }

  /// Whether some trial or component has this value, so that the fit knows what it does.
  bool seen(const std::string& axis, const AxisValue& value) const {
    return std::any_of(space.begin(), space.end(), [&](const Configuration& c) {
      const auto found = c.values().find(axis);
      return found != c.values().end() && found->second == value;
    });
  }

  std::optional<Interval> predicted(const Configuration& from, const Configuration& to) {
    fit({from, to});
    if (!predictor->fitted()) return std::nullopt;
    // Whole trials, taken by the fit's linear features, say what is left open of the ratio: both points share the trials.
    std::vector<std::vector<double>> features;
    std::vector<GpObservation> observations;
    std::vector<double> expected;
    const auto take = [&](const Configuration& c) {
      const auto prediction = predictor->predict(c);
      if (!prediction) return false;
      expected.push_back(prediction->log_images_per_s);
      features.push_back(prediction->features);
      return true;
    };
    if (!take(from) || !take(to)) return std::nullopt;
    for (const TrialResult& t : trials)
      if (take(t.configuration))
        observations.push_back({.point = expected.size() - 1, .order = static_cast<double>(observations.size()),
                                .value = std::log(t.images_per_s->mean) - expected.back(), .least_variance = misfit * misfit});
    GaussianProcess rest({GpAxis{}}, std::vector<GpPoint>(expected.size(), GpPoint{0.0}), smooth_prior);
    rest.set_features(features);
    rest.observe(observations, 0);
    const std::vector<std::size_t> both = {0, 1};
    const auto joint = rest.joint(both);
    const double a = joint.factor[2] - joint.factor[0], b = joint.factor[3];  // of to less from
    const double sd = std::sqrt(a * a + b * b + misfit * misfit);
    const double log_ratio = expected[1] + joint.mean[1] - expected[0] - joint.mean[0];
    if (!std::isfinite(log_ratio) || !std::isfinite(sd) || std::abs(log_ratio) > most_log_ratio || sd > 1) return std::nullopt;
    return from_logs(log_ratio, 1.96 * sd, 0);
  }
};

GainEstimator::GainEstimator(const Run& run, const Measurements& data) : state_(std::make_unique<State>(State{run, data})) { state_->collect(); }
GainEstimator::GainEstimator(GainEstimator&&) noexcept = default;
GainEstimator::~GainEstimator() = default;

ExpectedGain GainEstimator::of(const Configuration& from, const Changes& changes) const {
  ExpectedGain gain{.change = changes_text(from, changes), .ratio = std::nullopt, .unknown = ""};
  const Configuration to = changed(from, changes);
  const Measured* before = state_->data.find(from.key());
  const Measured* after = nullptr;
  for (const Measured& m : state_->data.all)
    if (!m.trials.empty() && agree(m.configuration, to) && agree(to, m.configuration)) {
      const bool all_there = std::all_of(changes.begin(), changes.end(), [&](const auto& c) { return m.configuration.has(c.first); });
      if (all_there) after = &m;
    }
  if (before != nullptr && !before->trials.empty() && after != nullptr && after != before) {
    const LogRatio r = log_ratio(state_->data, *after, *before);
    gain.ratio = from_logs(r.mean, student_t_quantile(0.975, r.df) * r.se, r.n);
    gain.change += ", measured in this run";
    return gain;
  }
  for (const auto& [axis, value] : changes)
    if (!numeric_law(axis) && !state_->seen(axis, value)) {
      gain.unknown = fmt::format("no trial of this run has {} {}", axis, to_text(value));
      return gain;
    }
  if (state_->trials.size() + state_->components.size() < 2) {
    gain.unknown = "the run has too few trials to predict from";
    return gain;
  }
  gain.ratio = state_->predicted(from, to);
  if (gain.ratio) gain.change += ", predicted";
  else gain.unknown = "the run's trials leave it too uncertain to say";
  return gain;
}

}  // namespace feedtune
