#pragma once
#include "search/strategy.hpp"

namespace feedtune {

/// A baseline to be beaten: from a random configuration to the first neighbour that measures faster, and from a summit
/// to another random one. Neighbours differ in one axis: to the next value of an integer, to any of a text.
StrategyEntry hill_climb();

}  // namespace feedtune
