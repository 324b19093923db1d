#pragma once
// What a search has to reach, and how far it may miss it by the luck of few machines.

#include <string>
#include <vector>

#include "search_trials.hpp"

namespace feedtune {

struct Gate {
  std::string name;
  std::string value;  ///< as measured
  std::string limit;
  bool met = false;
};

/// Results by family; the first strategy is the one that is judged, the others are what it has to beat.
struct GateInput {
  SearchResults mixed;        ///< mixed machines with the usual noise
  SearchResults equal;        ///< all_equal: A/A
  SearchResults rough;        ///< misspecified: irregular from configuration to configuration
  SearchResults interacting;  ///< misspecified: pairs of settings
};

/// Limits are those of METHOD.md section 4 where a gate has `strict_from` values or more (of 200
/// machines a few have none). With n fewer each is widened by
/// what n machines leave to chance: a mean by 2.33 standard errors of the n values (99 %, one side); a share of machines
/// to what a binomial count of n at the limit exceeds in 1 of 100 times; a 95th percentile is the share of machines above
/// its limit, 5 % at most; a p value is not asked for, but that the mean is not higher by 2.33 standard errors.
std::vector<Gate> judge_gates(const GateInput& input, std::size_t strict_from = 180);

/// The least k with P(X > k) <= 0.01 for X binomial of n at p.
std::int64_t binomial_limit(std::int64_t n, double p);
/// Upper 95 % bound (one side) of a probability seen `count` times in n (Clopper and Pearson 1934).
double clopper_pearson_upper(std::int64_t count, std::int64_t n);

}  // namespace feedtune
