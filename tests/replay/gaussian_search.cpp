#include "gaussian_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "search/shuffle.hpp"

namespace feedtune {
namespace {

constexpr std::size_t first_draws = 12, fit_every = 12;

struct Scales {
  double number = 0.5, text = 1;  ///< length scales
  double noise = 0.01;            ///< variance, of the signal's
};

/// Squared distances over the integers and over the texts, apart.
struct Distances {
  Eigen::MatrixXd numbers, texts;
};

Eigen::MatrixXd matern(const Distances& d, const Scales& scales) {
  const Eigen::ArrayXXd r = (5 * (d.numbers.array() / (scales.number * scales.number) + d.texts.array() / (scales.text * scales.text))).sqrt();
  return ((1 + r + r.square() / 3) * (-r).exp()).matrix();
}

Eigen::MatrixXd squared_distances(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd d = -2 * a * b.transpose();
  d.colwise() += a.rowwise().squaredNorm();
  d.rowwise() += b.rowwise().squaredNorm().transpose();
  return d.cwiseMax(0);
}

class GaussianSearch final : public Strategy {
 public:
  explicit GaussianSearch(SearchProblem problem) : problem_(std::move(problem)) {
    encode();
    std::mt19937_64 random(mixed(problem_.seed, 3));
    for (std::size_t i = 0; i < problem_.space.size(); ++i) left_.push_back(i);
    shuffle(left_, random);
  }

  std::vector<TrialPlan> ask() override {
    if (left_.empty()) return {};
    asked_.clear();
    if (points_.empty()) {
      const std::size_t draws = std::min(first_draws, left_.size());
      asked_.assign(left_.end() - static_cast<std::ptrdiff_t>(draws), left_.end());
    } else {
      asked_ = {most_promising()};
    }
    std::vector<TrialPlan> block;
    ++block_;
    for (const std::size_t i : asked_) {
      std::erase(left_, i);
      block.push_back({.configuration = problem_.space[i], .purpose = Purpose::trial, .block = block_, .target = problem_.target});
    }
    return block;
  }

  void tell(std::span<const TrialResult> results) override {
    for (std::size_t i = 0; i < results.size(); ++i) {
      points_.push_back(asked_[i]);
      const auto& rate = results[i].images_per_s;
      values_.push_back(rate && rate->mean > 0 ? std::log(rate->mean) : std::numeric_limits<double>::quiet_NaN());
    }
  }

 private:
  void encode() {
    std::map<std::string, std::set<AxisValue>> axes;
    for (const Configuration& c : problem_.space)
      for (const auto& [axis, value] : c.values()) axes[axis].insert(value);
    numbers_.resize(static_cast<Eigen::Index>(problem_.space.size()), 0);
    texts_ = numbers_;
    for (const auto& [axis, values] : axes) {
      if (const auto* largest = std::get_if<std::int64_t>(&*values.rbegin())) {
        const double scale = std::max(1.0, std::log2(1.0 + static_cast<double>(*largest)));
        add_feature(numbers_, [&](const Configuration& c) { return std::log2(1.0 + static_cast<double>(c.integer(axis).value_or(0))) / scale; });
      } else {
        for (const AxisValue& value : values)
          add_feature(texts_, [&](const Configuration& c) { return c.text(axis) == std::get<std::string>(value) ? 1.0 : 0.0; });
      }
    }
  }
  void add_feature(Eigen::MatrixXd& features, const auto& of) const {
    features.conservativeResize(Eigen::NoChange, features.cols() + 1);
    for (std::size_t i = 0; i < problem_.space.size(); ++i) features(static_cast<Eigen::Index>(i), features.cols() - 1) = of(problem_.space[i]);
  }

  Distances distances(const std::vector<std::size_t>& of, const std::vector<std::size_t>& to) const {
    const auto rows = [](const Eigen::MatrixXd& all, const std::vector<std::size_t>& which) {
      Eigen::MatrixXd some(static_cast<Eigen::Index>(which.size()), all.cols());
      for (std::size_t i = 0; i < which.size(); ++i) some.row(static_cast<Eigen::Index>(i)) = all.row(static_cast<Eigen::Index>(which[i]));
      return some;
    };
    return {.numbers = squared_distances(rows(numbers_, of), rows(numbers_, to)), .texts = squared_distances(rows(texts_, of), rows(texts_, to))};
  }

  /// Standardised, failures as the slowest.
  Eigen::VectorXd targets() const {
    double slowest = std::numeric_limits<double>::infinity();
    for (const double value : values_)
      if (!std::isnan(value)) slowest = std::min(slowest, value);
    if (!std::isfinite(slowest)) slowest = 0;
    Eigen::VectorXd y(static_cast<Eigen::Index>(values_.size()));
    for (std::size_t i = 0; i < values_.size(); ++i) y[static_cast<Eigen::Index>(i)] = std::isnan(values_[i]) ? slowest : values_[i];
    y.array() -= y.mean();
    return y / std::max(1e-9, std::sqrt(y.squaredNorm() / static_cast<double>(y.size())));
  }

  /// Minus twice the log likelihood, the signal's variance at its best, but for a constant.
  static double misfit(const Distances& d, const Eigen::VectorXd& y, const Scales& scales) {
    Eigen::MatrixXd k = matern(d, scales);
    k.diagonal().array() += scales.noise;
    const Eigen::LLT<Eigen::MatrixXd> factor(k);
    const auto n = static_cast<double>(y.size());
    const Eigen::VectorXd whitened = factor.matrixL().solve(y);
    const Eigen::MatrixXd lower = factor.matrixL();
    return n * std::log(whitened.squaredNorm() / n) + 2 * lower.diagonal().array().log().sum();
  }

  void fit(const Distances& d, const Eigen::VectorXd& y) {
    double least = std::numeric_limits<double>::infinity();
    for (const double number : {0.2, 0.4, 0.8, 1.6, 3.2})
      for (const double text : {1.0, 2.0, 4.0, 8.0})
        for (const double noise : {3e-4, 3e-3, 3e-2}) {
          const Scales scales = {.number = number, .text = text, .noise = noise};
          if (const double misfit_here = misfit(d, y, scales); misfit_here < least) {
            least = misfit_here;
            scales_ = scales;
          }
        }
    fitted_at_ = points_.size();
  }

  std::size_t most_promising() {
    const Distances known = distances(points_, points_);
    const Eigen::VectorXd y = targets();
    if (fitted_at_ == 0 || points_.size() >= fitted_at_ + fit_every) fit(known, y);
    const Eigen::MatrixXd correlation = matern(known, scales_);
    Eigen::MatrixXd k = correlation;
    k.diagonal().array() += scales_.noise;
    const Eigen::LLT<Eigen::MatrixXd> factor(k);
    const Eigen::VectorXd weights = factor.solve(y);
    const double signal = y.dot(weights) / static_cast<double>(y.size());
    const double incumbent = (correlation * weights).maxCoeff();  // without the noise of the luckiest
    const Eigen::MatrixXd cross = matern(distances(points_, left_), scales_);
    const Eigen::VectorXd mean = cross.transpose() * weights;
    const Eigen::MatrixXd whitened = factor.matrixL().solve(cross);
    std::size_t best = left_.front();
    double most = -1;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const auto column = static_cast<Eigen::Index>(i);
      const double sd = std::sqrt(std::max(1e-12, signal * (1 - whitened.col(column).squaredNorm())));
      const double z = (mean[column] - incumbent) / sd;
      const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
      const double gain = sd * (z * std::erfc(-z / std::numbers::sqrt2) / 2 + density);
      if (gain > most) most = gain, best = left_[i];
    }
    return best;
  }

  SearchProblem problem_;
  Eigen::MatrixXd numbers_, texts_;  ///< features by configuration
  std::vector<std::size_t> left_, asked_, points_;
  std::vector<double> values_;  ///< log images/s of points_; NaN: did not run
  Scales scales_;
  std::size_t fitted_at_ = 0;
  int block_ = 0;
};

}  // namespace

StrategyEntry gaussian_search() {
  return {"gaussian", "Gaussian process and expected improvement", [](SearchProblem problem) { return std::make_unique<GaussianSearch>(std::move(problem)); }};
}

}  // namespace feedtune
