#include "predict/least_squares.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace feedtune {
namespace {

constexpr double slope_step = 1e-5;

class Problem {
 public:
  Problem(const Residuals& residuals, const LeastSquaresOptions& options) : residuals_(residuals), options_(options) {}

  Eigen::VectorXd at(const std::vector<double>& parameters) const {
    const std::vector<double> r = residuals_(parameters);
    return Eigen::Map<const Eigen::VectorXd>(r.data(), static_cast<Eigen::Index>(r.size()));
  }
  bool robust(Eigen::Index i, Eigen::Index count) const { return i < count - static_cast<Eigen::Index>(options_.plain); }
  double loss(const Eigen::VectorXd& r) const {
    double sum = 0;
    for (Eigen::Index i = 0; i < r.size(); ++i)
      sum += robust(i, r.size()) ? 2 * (std::sqrt(1 + r[i] * r[i]) - 1) : r[i] * r[i];
    return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
  }
  std::vector<double> bounded(std::vector<double> parameters) const {
    for (std::size_t k = 0; k < parameters.size() && k < options_.least.size(); ++k)
      parameters[k] = std::clamp(parameters[k], options_.least[k], options_.most[k]);
    return parameters;
  }
  /// Forward differences; backward at an upper bound.
  Eigen::MatrixXd slopes(const std::vector<double>& parameters, const Eigen::VectorXd& r) const {
    Eigen::MatrixXd jacobian(r.size(), static_cast<Eigen::Index>(parameters.size()));
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      std::vector<double> moved = parameters;
      const bool at_top = k < options_.most.size() && moved[k] + slope_step > options_.most[k];
      const double step = at_top ? -slope_step : slope_step;
      moved[k] += step;
      jacobian.col(static_cast<Eigen::Index>(k)) = (at(moved) - r) / step;
    }
    return jacobian;
  }

 private:
  const Residuals& residuals_;
  const LeastSquaresOptions& options_;
};

}  // namespace

std::vector<double> least_squares(const Residuals& residuals, std::vector<double> start, const LeastSquaresOptions& options) {
  const Problem problem(residuals, options);
  std::vector<double> here = problem.bounded(std::move(start));
  Eigen::VectorXd r = problem.at(here);
  double loss = problem.loss(r), damping = 1e-2;
  for (int step = 0; step < options.steps; ++step) {
    Eigen::MatrixXd jacobian = problem.slopes(here, r);
    Eigen::VectorXd weighted = r;
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      const double weight = problem.robust(i, r.size()) ? 1 / std::sqrt(std::sqrt(1 + r[i] * r[i])) : 1;
      jacobian.row(i) *= weight;
      weighted[i] *= weight;
    }
    const Eigen::MatrixXd square = jacobian.transpose() * jacobian;
    const Eigen::VectorXd slope = jacobian.transpose() * weighted;
    bool better = false;
    double gained = 0;
    for (int attempt = 0; attempt < 6 && !better; ++attempt) {
      Eigen::MatrixXd damped = square;
      damped.diagonal() += damping * (square.diagonal().array() + 1e-6).matrix();
      const Eigen::VectorXd move = damped.ldlt().solve(-slope);
      std::vector<double> there = here;
      for (std::size_t k = 0; k < there.size(); ++k) there[k] += move[static_cast<Eigen::Index>(k)];
      there = problem.bounded(std::move(there));
      const Eigen::VectorXd tried = problem.at(there);
      const double tried_loss = problem.loss(tried);
      better = tried_loss < loss;
      if (!better) {
        damping = std::min(damping * 5, 1e8);
        continue;
      }
      gained = loss - tried_loss;
      here = std::move(there);
      r = tried;
      loss = tried_loss;
      damping = std::max(damping / 4, 1e-8);
    }
    if (!better || gained < 1e-6 * (1 + loss)) break;
  }
  return here;
}

}  // namespace feedtune
