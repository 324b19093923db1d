#pragma once
// The search space as points between which distances mean something.

#include <span>
#include <vector>

#include "core/configuration.hpp"
#include "predict/gaussian_process.hpp"

namespace feedtune {

/// Axes that vary over the space, alphabetical. Numbers (text that is a number too, as in a recorded file) by their
/// binary logarithm, zero one doubling below the smallest, scaled to [0, 1]; negative ones by their rank; anything else is
/// a category.
struct Coordinates {
  std::vector<GpAxis> axes;
  std::vector<GpPoint> points;  ///< in the order of the space
};

Coordinates coordinates_of(std::span<const Configuration> space);

/// Euclidean; 1 along an axis for different categories or where it means something for one of the two only.
double distance(const std::vector<GpAxis>& axes, const GpPoint& a, const GpPoint& b);

}  // namespace feedtune
