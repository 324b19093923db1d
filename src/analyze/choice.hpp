#pragma once
// From standings to one configuration: the cheapest that is as good as the best.

#include <vector>

#include "analyze/race.hpp"
#include "analyze/recommend.hpp"

namespace feedtune {

/// Pointers are into `standings`; moving a Choice keeps them valid, copying is not possible.
struct Choice {
  Choice() = default;
  Choice(Choice&&) = default;
  Choice& operator=(Choice&&) = default;

  std::vector<Standing> standings;        ///< of the whole group, cheapest first
  const Standing* best = nullptr;         ///< null: the group has no usable member
  const Standing* recommended = nullptr;  ///< null exactly when best is
  /// What would have to be measured before the answer can't change any more: undecided ones that would be preferred to
  /// `recommended`, unconfirmed ones that the search saw well ahead of the best, and a best that could still lose
  /// `within` to a confirmed rival, with those rivals.
  std::vector<const Standing*> open;

  bool decided() const { return best != nullptr && open.empty() && best->measured->blocks() >= min_blocks; }
};

/// Smallest batch first (the knee: batch size changes training), then cheaper().
bool preferred(const Measured& a, const Measured& b);

/// The most preferred of the best and its equivalents. Where nothing is known to be equivalent: also of the undecided
/// whose estimated loss is under `within`, measured again in as many blocks as the best or in min_blocks. And of those
/// that stay undecided after `max_blocks`, where they at least hold against the best alone (a 95 % bound without the
/// correction for several rivals).
Choice choose(const Measurements& data, const RecommendOptions& options, const Members& members);

}  // namespace feedtune
