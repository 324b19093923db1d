#pragma once
// What the fitted predictor does not know: a Gaussian process over the axes of the search space, with independent
// roughness of each configuration, the machine's slow drift, and the trials' noise (METHOD.md 2.4; Rasmussen and Williams
// 2006, chapters 2, 4 and 5). Values are logarithms, so standard deviations are relative.

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace feedtune {

/// A coordinate of a point: a number scaled so that its values span [0, 1], or the index of a category. NaN: the axis
/// means nothing there.
struct GpAxis {
  bool categorical = false;
};
using GpPoint = std::vector<double>;
inline constexpr double gp_absent = std::numeric_limits<double>::quiet_NaN();

struct GpObservation {
  std::size_t point = 0;     ///< index of the point
  double order = 0;          ///< running number of the trial: what the drift goes by
  double value = 0;          ///< log ratio of what was measured to what was expected
  double least_variance = 0; ///< the trial's own squared standard error: its noise is not smaller
};

/// Standard deviations (relative) and scales; fitted by maximum posterior.
struct GpScales {
  double smooth = 0.15;     ///< of the part that neighbours share
  double rough = 0.012;     ///< of each configuration's own deviation
  double noise = 0.015;     ///< of one trial
  double drift = 0.015;     ///< of the machine's slow wandering
  double memory = 20;       ///< trials after which the drift has forgotten 63 %
  double level = 0.3;       ///< of the constant that all share
  std::vector<double> reach;  ///< by axis: distance over which the smooth part changes
};

/// Smooth part: Matern 5/2 with a reach for each axis (categories differ by one unit, or not). Drift: exponential in the
/// distance of the running numbers. Trials far off what all others say of them are believed less. For one thread.
class GaussianProcess {
 public:
  /// `smooth`: median of the prior of GpScales::smooth. Not under 3 % in the fit: no predictor is better.
  GaussianProcess(std::vector<GpAxis> axes, std::vector<GpPoint> points, double smooth);
  /// What else the points have in common, linear with unknown weights of mean 0 and sd 1: one row of features a point, all
  /// as long; empty: nothing. Counts from the next observe() on.
  void set_features(std::vector<std::vector<double>> features);
  GaussianProcess(GaussianProcess&&) noexcept;
  GaussianProcess& operator=(GaussianProcess&&) noexcept;
  ~GaussianProcess();

  /// Replaces what was observed; `steps` of the scales' fit from where they stand (0: keep them). O(steps n^3).
  void observe(std::vector<GpObservation> observations, int steps);
  const GpScales& scales() const;
  /// Log marginal likelihood of the observations plus the scales' log prior; 0 with none.
  double evidence() const;

  struct Belief {
    double mean = 0;
    double sd = 0;
  };
  /// Of every point, without drift and noise. O(n^2) a point.
  std::vector<Belief> beliefs() const;
  /// Mean and lower Cholesky factor (row by row) of the joint belief of some points, ascending or not, none twice.
  struct Joint {
    std::vector<double> mean;
    std::vector<double> factor;  ///< size() x size(), row-major, 0 above the diagonal
    std::size_t size() const { return mean.size(); }
  };
  Joint joint(std::span<const std::size_t> points) const;
  /// How many times its plain variance each observation's noise has been taken for (>= 1).
  std::vector<double> doubts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace feedtune
