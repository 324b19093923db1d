#pragma once
// What trials promise, from draws of what is believed of the front.

#include <cstddef>
#include <optional>
#include <vector>

#include "search/belief.hpp"

namespace feedtune {

/// The allowed configurations that could be the best, by mean + 2.5 sd: at most `most`; the measured ones with the highest
/// means always among them.
std::vector<std::size_t> contenders(const Belief& belief, std::size_t most);

/// Index of the measured, allowed configuration with the highest mean; absent: none.
std::optional<std::size_t> leader(const Belief& belief);

/// Unmeasured members in the order in which measuring them promises most: each adds most, per second and by its odds of
/// working, to the expected best of those measured and those before it (expected improvement of a block, by greedy choice).
std::vector<std::size_t> most_promising(const Belief& belief, const Draws& draws, std::size_t count);

/// Measured members worth another trial: those that could be the best of all measured (share of draws) and are not known
/// well (variance), by the product; ones that never are the best are left out.
std::vector<std::size_t> worth_repeating(const Belief& belief, const Draws& draws, std::size_t count);

/// Share of the draws in which a measured member is the best of all.
double odds_best_is_measured(const Belief& belief, const Draws& draws);

/// What is lost by taking `chosen` instead of the best member, as a share of images/s.
struct Regret {
  double expected = 0;
  double odds_over = 0;  ///< that it is more than `tolerance`
};
Regret regret_of(const Draws& draws, std::size_t chosen, double tolerance);

}  // namespace feedtune
