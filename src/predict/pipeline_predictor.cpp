#include "predict/pipeline_predictor.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "measure/statistics.hpp"
#include "predict/least_squares.hpp"

namespace feedtune {
namespace {

/// Places of the parameters; factors of axis values follow. Times and rates as logarithms; `exposed_*`: shares of the copy
/// (overlapped, from pageable memory, from pinned memory without overlap) and of loading without workers.
enum Place : std::size_t {
  load, sigma, kappa, smt, crowding, taken, roof, pin, step_fixed, step_image, copy_fixed, copy_byte,
  exposed_overlapped, exposed_pageable, exposed_pinned, exposed_load, factors
};

constexpr double component_sd = 0.03, trial_sd = 0.05;
/// Of a fitted part's miss at a place where it was measured: the measurement is worth more than the fit's form.
constexpr double correction_share = 0.85;
/// Image times of photographs vary by about so much (METHOD.md 2.3 reckons with 0.3 to 1.5).
constexpr double usual_image_cv = 0.5;

/// Memory traffic of an image: a photograph of half a megapixel decoded and read again; written, read and written as it is
/// shipped (METHOD.md 2.2, bytes touched per image).
constexpr double decoded_bytes = 1.5e6, shipped_passes = 3;

struct Prior {
  double mean, sd, least, most;
};

/// Wide where a machine decides, narrow where only a kink does.
Prior prior_of(std::size_t place, const std::vector<double>& start) {
  constexpr double none = 60;
  switch (place) {
    case sigma: return {0.03, 0.05, 0, 0.5};
    case kappa: return {0.0005, 0.001, 0, 0.02};
    case smt: return {0.3, 0.15, 0, 1};
    case crowding: return {0.1, 0.1, 0, 0.45};
    case taken: return {0.3, 0.3, 0, 1};
    case exposed_overlapped: return {0.05, 0.1, 0, 1};
    case exposed_pageable: return {0.6, 0.4, 0, 1};
    case exposed_pinned: return {0.9, 0.3, 0, 1};
    case exposed_load: return {0.5, 0.4, 0, 1};
    case load: return {start[load], 1.5, -none, none};
    case step_image: return {start[step_image], 1.5, -none, none};
    case roof: case pin: case step_fixed: case copy_fixed: case copy_byte: return {start[place], 1.0, -none, none};
    default: return {0, 0.4, -6, 6};
  }
}

bool worked(const TrialResult& t) {
  return t.status == TrialStatus::ok && t.images_per_s && std::isfinite(t.images_per_s->mean) && t.images_per_s->mean > 0;
}

double relative_se(const Interval& i) {
  return i.n < 2 || !(i.high >= i.low) || !std::isfinite(i.high) ? 0 : (i.high - i.low) / (2 * 1.96 * i.mean);
}

constexpr double slope_step = 1e-4;

/// By forward differences.
template <class Value>
std::vector<double> slopes_of(const Value& value, std::vector<double> at, double here) {
  std::vector<double> slopes;
  for (double& parameter : at) {
    const double before = std::exchange(parameter, parameter + slope_step);
    slopes.push_back((value(at) - here) / slope_step);
    parameter = before;
  }
  return slopes;
}

double factor(const std::vector<Effect>& effects, const std::vector<double>& parameters) {
  double sum = 0;
  for (const Effect& effect : effects) sum += effect.amount * parameters[factors + effect.index];
  return std::exp(sum);
}

PipelinePart part_of(Purpose purpose) {
  return purpose == Purpose::loader_only ? PipelinePart::load
         : purpose == Purpose::copy_only ? PipelinePart::copy
                                         : PipelinePart::step;
}

/// Where along its axis a part's correction was measured: the loader by workers, copy and step by batch size.
double abscissa(PipelinePart part, const PipelineSetting& setting) {
  return std::log2(static_cast<double>(std::max<std::int64_t>(1, part == PipelinePart::load ? setting.workers : setting.batch_size)));
}

double interpolated(const std::vector<std::pair<double, double>>& points, double x) {
  if (x <= points.front().first) return points.front().second;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (x <= points[i].first) {
      const double share = (x - points[i - 1].first) / (points[i].first - points[i - 1].first);
      return points[i - 1].second + share * (points[i].second - points[i - 1].second);
    }
  return points.back().second;
}

}  // namespace

PipelinePredictor::PipelinePredictor(std::span<const Configuration> space, PipelineFacts facts,
                                     std::span<const TrialResult> components)
    : effects_(space), facts_(facts), image_cv_(usual_image_cv) {
  std::vector<double> image_cvs;
  for (const TrialResult& t : components) {
    if (!worked(t) || t.purpose == Purpose::trial) continue;
    auto setting = effects_.read(t.configuration, facts_.image_size);
    if (!setting) continue;
    // The batches of one worker come one by one, so that their times' spread is the images', averaged over a batch.
    if (t.purpose == Purpose::loader_only && setting->workers == 1 && !setting->pooled && t.step_us.size() >= 20) {
      const std::vector<double> times(t.step_us.begin(), t.step_us.end());
      image_cvs.push_back(robust_deviation(times) / std::max(1.0, median(times)) * std::sqrt(static_cast<double>(setting->batch_size)));
    }
    components_.push_back({std::move(*setting), t.purpose, std::log(t.images_per_s->mean), std::max(component_sd, relative_se(*t.images_per_s))});
  }
  if (!image_cvs.empty()) image_cv_ = std::clamp(median(image_cvs), 0.05, 2.0);
}

PipelineCosts PipelinePredictor::costs(const PipelineSetting& s, const std::vector<double>& p) const {
  const auto corrected = [&](PipelinePart part, double seconds) {
    const auto found = corrections_[static_cast<int>(part)].find(s.group[static_cast<int>(part)]);
    if (found == corrections_[static_cast<int>(part)].end()) return seconds;
    return seconds * std::exp(-interpolated(found->second, abscissa(part, s)));
  };
  const auto images = static_cast<double>(s.batch_size);
  PipelineCosts c;
  c.batch_size = s.batch_size;
  c.workers = s.workers;
  c.batches_ahead = s.batches_ahead;
  c.host_copies = !s.pinned;
  c.pooled = s.pooled;
  c.image_load_cv = image_cv_;
  c.cores = facts_.cores;
  c.scaling = {.sigma = p[sigma], .kappa = p[kappa], .smt = p[smt], .crowding = p[crowding]};
  c.cores_taken = p[taken];
  c.image_load_s = corrected(PipelinePart::load, std::exp(p[load]) * factor(s.effects[static_cast<int>(PipelinePart::load)], p));
  c.loader_roof = std::exp(p[roof]) / (decoded_bytes + shipped_passes * s.image_bytes);
  c.step_s = corrected(PipelinePart::step, (std::exp(p[step_fixed]) + std::exp(p[step_image]) * images) *
                                               factor(s.effects[static_cast<int>(PipelinePart::step)], p));
  if (facts_.copies)
    c.copy_s = corrected(PipelinePart::copy, (std::exp(p[copy_fixed]) + std::exp(p[copy_byte]) * images * s.image_bytes) *
                                                 factor(s.effects[static_cast<int>(PipelinePart::copy)], p));
  if (!s.each_step_waited_for) c.copy_exposed = p[s.overlapped ? exposed_overlapped : s.pinned ? exposed_pinned : exposed_pageable];
  // On the cpu device the training thread itself computes the step.
  if (!s.each_step_waited_for && facts_.copies) c.load_exposed = p[exposed_load];
  if (s.pinned && !s.pooled) c.pin_s = std::exp(p[pin]) * images * s.image_bytes;
  if (facts_.step_on_cores) c.step_cores = s.model_threads > 0 ? s.model_threads : facts_.cores.physical;
  return c;
}

double PipelinePredictor::log_component(const PipelineSetting& s, Purpose purpose, const std::vector<double>& p) const {
  const PipelineCosts c = costs(s, p);
  if (purpose == Purpose::loader_only) return std::log(loader_images_per_s(c));
  return std::log(static_cast<double>(s.batch_size) / (purpose == Purpose::copy_only ? c.copy_s : c.step_s));
}

std::vector<double> PipelinePredictor::start(std::span<const TrialResult> trials) const {
  std::vector<double> p(factors + effects_.size(), 0.0);
  double one_worker = 0, fastest_step = 0, fastest = 0;
  for (const Component& c : components_) {
    const double rate = std::exp(c.log_rate);
    if (c.purpose == Purpose::loader_only)
      one_worker = std::max(one_worker, rate / Scaling{}.speedup(static_cast<double>(std::max<std::int64_t>(1, c.setting.workers)), facts_.cores));
    if (c.purpose == Purpose::step_only) fastest_step = std::max(fastest_step, rate);
  }
  double seen_one_worker = 0;
  for (const TrialResult& t : trials) {
    const auto setting = worked(t) ? effects_.read(t.configuration, facts_.image_size) : std::nullopt;
    if (!setting) continue;
    fastest = std::max(fastest, t.images_per_s->mean);
    seen_one_worker = std::max(seen_one_worker, t.images_per_s->mean / Scaling{}.speedup(static_cast<double>(std::max<std::int64_t>(1, setting->workers)), facts_.cores));
  }
  if (one_worker <= 0) one_worker = std::max(seen_one_worker, 1e-9);
  if (fastest_step <= 0) fastest_step = std::max(1.3 * fastest, 1e-9);
  p[load] = -std::log(one_worker);
  p[sigma] = Scaling{}.sigma;
  p[kappa] = Scaling{}.kappa;
  p[smt] = Scaling{}.smt;
  p[crowding] = Scaling{}.crowding;
  p[taken] = 0.3;
  p[roof] = std::log(20e9);      // two channels of DDR4
  p[exposed_overlapped] = 0.05;
  p[exposed_pageable] = 0.6;
  p[exposed_pinned] = 0.9;
  p[exposed_load] = 0.5;
  p[pin] = -std::log(5e9);       // one thread's memcpy
  p[step_image] = -std::log(fastest_step);
  p[step_fixed] = p[step_image] + std::log(16.0);  // as 16 images take
  p[copy_fixed] = std::log(30e-6);
  p[copy_byte] = -std::log(8e9);  // PCIe 3 to 4 as pageable memory has it
  return p;
}

void PipelinePredictor::fit(std::span<const TrialResult> trials, int steps) {
  std::vector<std::pair<PipelineSetting, const TrialResult*>> whole;
  for (const TrialResult& t : trials)
    if (worked(t) && t.purpose == Purpose::trial)
      if (auto setting = effects_.read(t.configuration, facts_.image_size)) whole.emplace_back(std::move(*setting), &t);
  if (whole.empty() && components_.empty()) return;
  for (Corrections& corrections : corrections_) corrections.clear();
  const std::vector<double> centre = start(trials);
  LeastSquaresOptions options{.steps = steps, .plain = centre.size(), .least = {}, .most = {}};
  for (std::size_t k = 0; k < centre.size(); ++k) {
    options.least.push_back(prior_of(k, centre).least);
    options.most.push_back(prior_of(k, centre).most);
  }
  const auto residuals = [&](const std::vector<double>& p) {
    std::vector<double> r;
    r.reserve(components_.size() + whole.size() + p.size());
    for (const Component& c : components_) r.push_back((log_component(c.setting, c.purpose, p) - c.log_rate) / c.sd);
    for (const auto& [setting, t] : whole)
      r.push_back((std::log(images_per_s(costs(setting, p))) - std::log(t->images_per_s->mean)) /
                  std::max(trial_sd, relative_se(*t->images_per_s)));
    for (std::size_t k = 0; k < p.size(); ++k) {
      const Prior prior = prior_of(k, centre);
      r.push_back((p[k] - prior.mean) / prior.sd);
    }
    return r;
  };
  parameters_ = least_squares(residuals, parameters_.empty() ? centre : parameters_, options);
  leave_trials_out(centre);
  correct();
}

void PipelinePredictor::leave_trials_out(const std::vector<double>& centre) {
  const auto count = static_cast<Eigen::Index>(parameters_.size());
  Eigen::MatrixXd precision = Eigen::MatrixXd::Zero(count, count);
  Eigen::VectorXd pull = Eigen::VectorXd::Zero(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const Prior prior = prior_of(static_cast<std::size_t>(k), centre);
    precision(k, k) = 1 / (prior.sd * prior.sd);
    pull[k] = (prior.mean - parameters_[static_cast<std::size_t>(k)]) * precision(k, k);
  }
  for (const Component& c : components_) {
    const auto value = [&](const std::vector<double>& p) { return log_component(c.setting, c.purpose, p); };
    const double here = value(parameters_);
    const std::vector<double> slopes = slopes_of(value, parameters_, here);
    const Eigen::Map<const Eigen::VectorXd> slope(slopes.data(), count);
    precision += slope * slope.transpose() / (c.sd * c.sd);
    pull += slope * (c.log_rate - here) / (c.sd * c.sd);
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(precision);
  const Eigen::VectorXd away = factor.solve(pull);
  away_.assign(away.data(), away.data() + count);
  const Eigen::MatrixXd lower = Eigen::MatrixXd(factor.solve(Eigen::MatrixXd::Identity(count, count))).llt().matrixL();
  spread_.assign(parameters_.size(), std::vector<double>(parameters_.size()));
  for (Eigen::Index a = 0; a < count; ++a)
    for (Eigen::Index b = 0; b < count; ++b) spread_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = lower(a, b);
}

std::optional<PipelinePredictor::Prediction> PipelinePredictor::predict(const Configuration& configuration) const {
  const auto setting = effects_.read(configuration, facts_.image_size);
  if (!setting) return std::nullopt;
  const auto value = [&](const std::vector<double>& p) { return std::log(images_per_s(costs(*setting, p))); };
  Prediction prediction{.log_images_per_s = value(parameters_), .features = std::vector<double>(parameters_.size())};
  const std::vector<double> slopes = slopes_of(value, parameters_, prediction.log_images_per_s);
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    prediction.log_images_per_s += slopes[k] * away_[k];
    for (std::size_t feature = 0; feature <= k; ++feature) prediction.features[feature] += slopes[k] * spread_[k][feature];
  }
  return prediction;
}

void PipelinePredictor::correct() {
  std::map<std::string, std::map<double, std::vector<double>>> misses[pipeline_parts];
  for (const Component& c : components_) {
    const PipelinePart part = part_of(c.purpose);
    const double miss = c.log_rate - log_component(c.setting, c.purpose, parameters_);
    misses[static_cast<int>(part)][c.setting.group[static_cast<int>(part)]][abscissa(part, c.setting)].push_back(correction_share * miss);
  }
  for (int part = 0; part < pipeline_parts; ++part)
    for (const auto& [group, places] : misses[part])
      for (const auto& [x, values] : places) corrections_[part][group].emplace_back(x, mean(values));
}

std::optional<double> PipelinePredictor::log_images_per_s(const Configuration& configuration) const {
  const auto setting = effects_.read(configuration, facts_.image_size);
  if (!setting) return std::nullopt;
  return std::log(images_per_s(costs(*setting, parameters_)));
}

}  // namespace feedtune
