#pragma once
#include <cstddef>
#include <random>
#include <vector>

#include "search/coordinates.hpp"

namespace feedtune {

/// `count` of the points, far from each other and from `first`, which is not among them: a random one of the next furthest
/// at each step (maximin, Johnson et al. 1990), so that every axis is seen at its ends early. Points with `usable` false are
/// left out; fewer where there are no more.
std::vector<std::size_t> spread_probes(const Coordinates& coordinates, const std::vector<bool>& usable, std::size_t first,
                                       std::size_t count, std::mt19937_64& random);

}  // namespace feedtune
