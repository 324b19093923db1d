#pragma once
#include <span>

namespace feedtune {

/// Cores that a worker can have to itself, and hardware threads; both at least 1, logical >= physical.
struct Cores {
  double physical = 1;
  double logical = 1;
};

/// Throughput of W workers against one: the universal scalability law (Gunther 2007) over the cores that W workers get
/// (METHOD.md 2.2): g(W) = min(W, P) + s max(0, min(W, L) - P); S(W) = g / (1 + sigma (g - 1) + kappa g (g - 1)). More workers
/// than hardware threads get in each other's way: g is less by the factor 1 - o min(2, W / L - 1).
struct Scaling {
  double sigma = 0.03;    ///< contention, [0, 0.5]
  double kappa = 0.0005;  ///< coherency: what makes more workers slower, [0, 0.02]
  double smt = 0.3;       ///< what a second thread of a core adds, [0, 1]
  double crowding = 0.1;  ///< o: lost at twice as many workers as threads, [0, 0.45]

  double cores_used(double workers, const Cores& cores) const;
  double speedup(double workers, const Cores& cores) const;
};

/// Throughput of `workers` workers.
struct ScalingPoint {
  double workers = 1;
  double images_per_s = 0;
};

struct ScalingFit {
  double single_images_per_s = 0;  ///< lambda, of one worker
  Scaling scaling;
};

/// Fits lambda, sigma, kappa, s and o to at least one point by log throughput (soft-L1, 2 %), within the bounds and with weak
/// priors around the defaults: few points leave them where they are.
ScalingFit fit_scaling(std::span<const ScalingPoint> points, const Cores& cores);

/// What is left of `rate` under a roof that many workers share (memory bandwidth): 1/x^4 = 1/rate^4 + 1/roof^4
/// (METHOD.md 2.2). Both above 0, in the same unit.
double under_roof(double rate, double roof);

}  // namespace feedtune
