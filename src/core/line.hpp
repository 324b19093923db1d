#pragma once

namespace feedtune {

/// y = fixed + slope * x.
struct Line {
  double fixed = 0;
  double slope = 0;
  double at(double x) const { return fixed + slope * x; }
};

}  // namespace feedtune
