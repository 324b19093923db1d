#pragma once
// What grid, random and halving have in common: a list of configurations, measured in blocks that a reference brackets.

#include <cstddef>
#include <vector>

#include "search/memory_dominance.hpp"
#include "search/strategy.hpp"

namespace feedtune {

/// Asks for `order` in blocks of 8. The reference comes before the first block and at the end of each, so that every
/// block lies between two of it; its own place in the order is taken by that. What is known to run out of memory by the
/// time its block is made up is left out.
class Blocks final : public Strategy {
 public:
  Blocks(std::vector<Configuration> order, const SearchProblem& problem);
  /// More to measure, in new blocks; may be some of those before.
  void append(std::vector<Configuration> order);
  std::vector<TrialPlan> ask() override;
  void tell(std::span<const TrialResult> results) override;

 private:
  TrialPlan plan(const Configuration& configuration) const;

  std::vector<Configuration> order_;
  Configuration reference_;
  TrialTarget target_;
  std::size_t next_ = 0;
  int block_ = 0;
  MemoryDominance memory_;
};

}  // namespace feedtune
