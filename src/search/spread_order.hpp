#pragma once
#include <random>
#include <vector>

#include "core/configuration.hpp"

namespace feedtune {

/// Random, with each batch size spread evenly over the list: blocks are alike, and a search that ends early has seen
/// every size. Depends on the set of configurations, not on their order.
std::vector<Configuration> spread_order(std::vector<Configuration> configurations, std::mt19937_64& random);

}  // namespace feedtune
