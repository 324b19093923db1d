#include "predict/gaussian_process.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace feedtune {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double log_2pi = 1.8378770664093453;
/// A trial this many standard deviations off what the others say of it is taken for a spike (Huber's constant, widened:
/// neighbours err too).
constexpr double spike = 2.5;

/// A log-normal prior, and hard bounds.
struct Prior {
  double median, log_sd, least, most;
};

/// smooth, rough, noise, drift, memory; then the reach of every axis. Source of the medians: what the machines
/// and METHOD.md 2.6 show: trials repeat within 1 to 5 %, roughness is 1 to 4 %.
constexpr std::size_t shared_scales = 5;

std::vector<Prior> priors_of(std::size_t axes, double smooth) {
  std::vector<Prior> priors = {{smooth, 0.7, 0.03, 3},
                               {0.012, 0.5, 0.003, 0.1},
                               {0.015, 0.6, 0.003, 0.2},
                               {0.012, 0.7, 0.001, 0.2},
                               {25, 0.7, 3, 300}};
  for (std::size_t axis = 0; axis < axes; ++axis) priors.push_back({1.0, 0.9, 0.1, 12});
  return priors;
}

Vector to_logs(const GpScales& scales) {
  Vector logs(static_cast<Eigen::Index>(shared_scales + scales.reach.size()));
  logs[0] = std::log(scales.smooth);
  logs[1] = std::log(scales.rough);
  logs[2] = std::log(scales.noise);
  logs[3] = std::log(scales.drift);
  logs[4] = std::log(scales.memory);
  for (std::size_t axis = 0; axis < scales.reach.size(); ++axis)
    logs[static_cast<Eigen::Index>(shared_scales + axis)] = std::log(scales.reach[axis]);
  return logs;
}

void from_logs(const Vector& logs, GpScales& scales) {
  scales.smooth = std::exp(logs[0]);
  scales.rough = std::exp(logs[1]);
  scales.noise = std::exp(logs[2]);
  scales.drift = std::exp(logs[3]);
  scales.memory = std::exp(logs[4]);
  for (std::size_t axis = 0; axis < scales.reach.size(); ++axis)
    scales.reach[axis] = std::exp(logs[static_cast<Eigen::Index>(shared_scales + axis)]);
}

/// Squared distance along one axis; where it means something for one point only they are as far apart as can be.
double squared_gap(const GpAxis& axis, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b) ? 0 : 1;
  if (axis.categorical) return a == b ? 0 : 1;
  return (a - b) * (a - b);
}

}  // namespace

struct GaussianProcess::State {
  std::vector<GpAxis> axes;
  std::vector<GpPoint> points;
  std::vector<std::vector<double>> features;
  std::vector<Prior> priors;
  GpScales scales;
  std::vector<GpObservation> observations;
  std::vector<double> doubt;
  Eigen::LLT<Matrix> factor;
  Vector weights;  ///< K^-1 y
  double evidence = 0;

  Eigen::Index size() const { return static_cast<Eigen::Index>(observations.size()); }

  double smooth(const GpPoint& a, const GpPoint& b) const {
    double squared = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      squared += squared_gap(axes[axis], a[axis], b[axis]) / (scales.reach[axis] * scales.reach[axis]);
    const double r = std::sqrt(5 * squared);
    return scales.smooth * scales.smooth * (1 + r + r * r / 3) * std::exp(-r);
  }
  /// Of two configurations' true values.
  double between(std::size_t a, std::size_t b) const {
    const double rough = a == b ? scales.rough * scales.rough : 0;
    return scales.level * scales.level + linear(a, b) + smooth(points[a], points[b]) + rough;
  }
  double linear(std::size_t a, std::size_t b) const {
    return features.empty() ? 0 : std::inner_product(features[a].begin(), features[a].end(), features[b].begin(), 0.0);
  }
  double noise_variance(std::size_t i) const {
    return doubt[i] * std::max(scales.noise * scales.noise, observations[i].least_variance);
  }
  double drift(std::size_t i, std::size_t j) const {
    return scales.drift * scales.drift * std::exp(-std::abs(observations[i].order - observations[j].order) / scales.memory);
  }

  void solve() {
    const Eigen::Index n = size();
    Matrix covariance(n, n);
    Vector values(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto a = static_cast<std::size_t>(i);
      values[i] = observations[a].value;
      for (Eigen::Index j = 0; j <= i; ++j) {
        const auto b = static_cast<std::size_t>(j);
        covariance(i, j) = between(observations[a].point, observations[b].point) + drift(a, b) + (i == j ? noise_variance(a) : 0);
      }
    }
    factor.compute(covariance.selfadjointView<Eigen::Lower>());
    weights = factor.solve(values);
    const Matrix& lower = factor.matrixLLT();
    double log_determinant = 0;
    for (Eigen::Index i = 0; i < n; ++i) log_determinant += 2 * std::log(lower(i, i));
    evidence = -0.5 * (values.dot(weights) + log_determinant + static_cast<double>(n) * log_2pi);
    const Vector logs = to_logs(scales);
    for (std::size_t k = 0; k < priors.size(); ++k) {
      const double off = (logs[static_cast<Eigen::Index>(k)] - std::log(priors[k].median)) / priors[k].log_sd;
      evidence -= 0.5 * off * off;
    }
  }

  /// d evidence / d log scale (Rasmussen and Williams 5.9), after solve().
  Vector gradient(const Matrix& inverse) const {
    Vector slope = Vector::Zero(static_cast<Eigen::Index>(priors.size()));
    std::vector<double> gaps(axes.size());
    for (Eigen::Index i = 0; i < size(); ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        const double twice = i == j ? 1 : 2;
        const double w = 0.5 * twice * (weights[i] * weights[j] - inverse(i, j));
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        add_smooth_slope(observations[a].point, observations[b].point, w, gaps, slope);
        if (observations[a].point == observations[b].point) slope[1] += w * 2 * scales.rough * scales.rough;
        if (i == j && scales.noise * scales.noise >= observations[a].least_variance) slope[2] += w * 2 * noise_variance(a);
        const double common = drift(a, b);
        slope[3] += w * 2 * common;
        slope[4] += w * common * std::abs(observations[a].order - observations[b].order) / scales.memory;
      }
    }
    const Vector logs = to_logs(scales);
    for (std::size_t k = 0; k < priors.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      slope[at] -= (logs[at] - std::log(priors[k].median)) / (priors[k].log_sd * priors[k].log_sd);
    }
    return slope;
  }
  void add_smooth_slope(std::size_t a, std::size_t b, double w, std::vector<double>& gaps, Vector& slope) const {
    if (a == b) {
      slope[0] += w * 2 * scales.smooth * scales.smooth;
      return;
    }
    double squared = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      gaps[axis] = squared_gap(axes[axis], points[a][axis], points[b][axis]) / (scales.reach[axis] * scales.reach[axis]);
      squared += gaps[axis];
    }
    const double r = std::sqrt(5 * squared);
    const double decay = scales.smooth * scales.smooth * std::exp(-r);
    slope[0] += w * 2 * decay * (1 + r + r * r / 3);
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      slope[static_cast<Eigen::Index>(shared_scales + axis)] += w * decay * (5.0 / 3.0) * (1 + r) * gaps[axis];
  }

  Matrix inverse() const { return factor.solve(Matrix::Identity(size(), size())); }

  /// Resilient propagation (Igel and Huesken 2003, iRprop-): only the signs of the slopes count, so no scale has to be
  /// guessed and nothing diverges.
  void fit(int steps) {
    const auto count = static_cast<Eigen::Index>(priors.size());
    Vector step = Vector::Constant(count, 0.2), before = Vector::Zero(count), logs = to_logs(scales), best = logs;
    double best_evidence = evidence;
    for (int iteration = 0; iteration < steps; ++iteration) {
      Vector slope = gradient(inverse());
      for (Eigen::Index k = 0; k < count; ++k) {
        if (slope[k] * before[k] > 0) step[k] = std::min(1.2 * step[k], 0.7);
        if (slope[k] * before[k] < 0) step[k] = std::max(0.5 * step[k], 0.005), slope[k] = 0;
        before[k] = slope[k];
        if (slope[k] != 0) logs[k] += slope[k] > 0 ? step[k] : -step[k];
        const Prior& prior = priors[static_cast<std::size_t>(k)];
        logs[k] = std::clamp(logs[k], std::log(prior.least), std::log(prior.most));
      }
      from_logs(logs, scales);
      solve();
      if (evidence > best_evidence) best_evidence = evidence, best = logs;
    }
    from_logs(best, scales);
    solve();
  }

  /// Leave-one-out residuals (Rasmussen and Williams 5.12): what is far off all the others had a spike.
  void doubt_spikes() {
    for (int round = 0; round < 2; ++round) {
      const Matrix precision = inverse();
      for (Eigen::Index i = 0; i < size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double variance = 1 / precision(i, i);
        const double residual = weights[i] * variance;
        // As if its noise had been plain.
        const double plain = variance - noise_variance(at) + noise_variance(at) / doubt[at];
        const double off = std::abs(residual) / std::sqrt(std::max(plain, 1e-12));
        const double excess = std::max(0.0, residual * residual / (spike * spike) - plain);
        doubt[at] = off > spike ? 1 + excess / (noise_variance(at) / doubt[at]) : 1;
      }
      solve();
    }
  }
};

GaussianProcess::GaussianProcess(std::vector<GpAxis> axes, std::vector<GpPoint> points, double smooth)
    : state_(std::make_unique<State>()) {
  state_->priors = priors_of(axes.size(), smooth);
  state_->scales.smooth = smooth;
  state_->scales.reach.assign(axes.size(), 1.0);
  state_->axes = std::move(axes);
  state_->points = std::move(points);
}
GaussianProcess::GaussianProcess(GaussianProcess&&) noexcept = default;
GaussianProcess& GaussianProcess::operator=(GaussianProcess&&) noexcept = default;
GaussianProcess::~GaussianProcess() = default;

void GaussianProcess::observe(std::vector<GpObservation> observations, int steps) {
  state_->observations = std::move(observations);
  state_->doubt.assign(state_->observations.size(), 1.0);
  state_->evidence = 0;
  if (state_->observations.empty()) return;
  state_->solve();
  state_->doubt_spikes();
  if (steps <= 0) return;
  state_->fit(steps);
  state_->doubt_spikes();
}

const GpScales& GaussianProcess::scales() const { return state_->scales; }
void GaussianProcess::set_features(std::vector<std::vector<double>> features) { state_->features = std::move(features); }
double GaussianProcess::evidence() const { return state_->evidence; }
std::vector<double> GaussianProcess::doubts() const { return state_->doubt; }

std::vector<GaussianProcess::Belief> GaussianProcess::beliefs() const {
  const State& s = *state_;
  std::vector<Belief> all(s.points.size());
  Matrix with(s.size(), static_cast<Eigen::Index>(s.points.size()));
  for (Eigen::Index p = 0; p < with.cols(); ++p)
    for (Eigen::Index i = 0; i < s.size(); ++i)
      with(i, p) = s.between(s.observations[static_cast<std::size_t>(i)].point, static_cast<std::size_t>(p));
  const double alone = s.scales.level * s.scales.level + s.scales.smooth * s.scales.smooth + s.scales.rough * s.scales.rough;
  if (s.size() > 0) {
    const Vector means = with.transpose() * s.weights;
    s.factor.matrixL().solveInPlace(with);
    for (std::size_t p = 0; p < all.size(); ++p) {
      const auto at = static_cast<Eigen::Index>(p);
      all[p] = {means[at], std::sqrt(std::max(1e-10, s.linear(p, p) + alone - with.col(at).squaredNorm()))};
    }
  } else {
    for (std::size_t p = 0; p < all.size(); ++p) all[p] = {0, std::sqrt(s.linear(p, p) + alone)};
  }
  return all;
}

GaussianProcess::Joint GaussianProcess::joint(std::span<const std::size_t> points) const {
  const State& s = *state_;
  const auto count = static_cast<Eigen::Index>(points.size());
  Matrix covariance(count, count);
  for (Eigen::Index a = 0; a < count; ++a)
    for (Eigen::Index b = 0; b < count; ++b)
      covariance(a, b) = s.between(points[static_cast<std::size_t>(a)], points[static_cast<std::size_t>(b)]);
  Vector mean = Vector::Zero(count);
  if (s.size() > 0) {
    Matrix with(s.size(), count);
    for (Eigen::Index p = 0; p < count; ++p)
      for (Eigen::Index i = 0; i < s.size(); ++i)
        with(i, p) = s.between(s.observations[static_cast<std::size_t>(i)].point, points[static_cast<std::size_t>(p)]);
    mean = with.transpose() * s.weights;
    s.factor.matrixL().solveInPlace(with);
    covariance.noalias() -= with.transpose() * with;
  }
  covariance.diagonal().array() += 1e-10;
  const Matrix lower = covariance.llt().matrixL();
  Joint joint;
  joint.mean.assign(mean.data(), mean.data() + count);
  joint.factor.resize(points.size() * points.size());
  for (Eigen::Index a = 0; a < count; ++a)
    for (Eigen::Index b = 0; b < count; ++b) joint.factor[static_cast<std::size_t>(a * count + b)] = lower(a, b);
  return joint;
}

}  // namespace feedtune
