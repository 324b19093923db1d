#include "search/probes.hpp"

#include <algorithm>
#include <limits>

#include "search/shuffle.hpp"

namespace feedtune {
namespace {

/// One of the points whose distance is within a tenth of the largest.
constexpr double nearly_furthest = 0.9;

}  // namespace

std::vector<std::size_t> spread_probes(const Coordinates& coordinates, const std::vector<bool>& usable, std::size_t first,
                                       std::size_t count, std::mt19937_64& random) {
  std::vector<double> nearest(coordinates.points.size(), std::numeric_limits<double>::infinity());
  const auto add = [&](std::size_t chosen) {
    for (std::size_t i = 0; i < nearest.size(); ++i)
      nearest[i] = std::min(nearest[i], distance(coordinates.axes, coordinates.points[i], coordinates.points[chosen]));
  };
  add(first);
  std::vector<std::size_t> probes;
  while (probes.size() < count) {
    double furthest = 0;
    for (std::size_t i = 0; i < nearest.size(); ++i)
      if (usable[i]) furthest = std::max(furthest, nearest[i]);
    if (furthest <= 0) break;
    std::vector<std::size_t> far;
    for (std::size_t i = 0; i < nearest.size(); ++i)
      if (usable[i] && nearest[i] >= nearly_furthest * furthest) far.push_back(i);
    probes.push_back(far[random() % far.size()]);
    add(probes.back());
  }
  return probes;
}

}  // namespace feedtune
