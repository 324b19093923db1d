#pragma once
#include <functional>
#include <vector>

namespace feedtune {

/// Residuals of the parameters, each in units of its standard deviation (priors are residuals too).
using Residuals = std::function<std::vector<double>(const std::vector<double>&)>;

struct LeastSquaresOptions {
  int steps = 30;            ///< at most
  std::size_t plain = 0;     ///< the last so many residuals (priors) count as squares, the others by soft-L1
  std::vector<double> least, most;  ///< bounds of each parameter; empty: none
};

/// The parameters with the least sum of 2 (sqrt(1 + r^2) - 1) from `start`, by Levenberg and Marquardt's method with
/// numerical slopes (forward differences of 1e-5) and reweighting. Deterministic. As many residuals in every call.
std::vector<double> least_squares(const Residuals& residuals, std::vector<double> start, const LeastSquaresOptions& options);

}  // namespace feedtune
