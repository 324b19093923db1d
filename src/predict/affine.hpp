#pragma once
#include <span>

#include "core/line.hpp"

namespace feedtune {

/// The line through the points with the least relative error: weighted least squares with weights 1 / y^2, neither part
/// negative (METHOD.md 2.2, affine). x and y above 0, as many of both, at least one.
Line fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace feedtune
