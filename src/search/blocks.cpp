#include "search/blocks.hpp"

#include <algorithm>
#include <utility>

namespace feedtune {
namespace {

constexpr std::size_t block_size = 8;

}  // namespace

Blocks::Blocks(std::vector<Configuration> order, const SearchProblem& problem)
    : reference_(problem.reference), target_(problem.target) {
  append(std::move(order));
}

void Blocks::append(std::vector<Configuration> order) {
  std::erase(order, reference_);
  order_.insert(order_.end(), order.begin(), order.end());
}

TrialPlan Blocks::plan(const Configuration& configuration) const {
  return {.configuration = configuration, .purpose = Purpose::trial, .block = block_, .target = target_};
}

std::vector<TrialPlan> Blocks::ask() {
  std::vector<TrialPlan> block;
  const bool first = block_ == 0;
  ++block_;
  for (; next_ < order_.size() && block.size() < block_size; ++next_)
    if (!memory_.ran_out(order_[next_])) block.push_back(plan(order_[next_]));
  if (block.empty() && !first) return {};
  const bool bracketed = !block.empty();
  if (first) block.insert(block.begin(), plan(reference_));
  if (bracketed) block.push_back(plan(reference_));
  return block;
}

void Blocks::tell(std::span<const TrialResult> results) {
  for (const TrialResult& result : results) memory_.tell(result);
}

}  // namespace feedtune
