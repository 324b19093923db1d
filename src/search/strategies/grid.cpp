#include <algorithm>
#include <map>

#include "search/blocks.hpp"
#include "search/shuffle.hpp"

namespace feedtune {
namespace {

/// Random, with each batch size spread evenly over the sweep: blocks are alike, and a budget that ends early has seen
/// every size.
std::vector<Configuration> spread_order(const SearchProblem& problem) {
  std::mt19937_64 random(mixed(problem.seed, 0));
  std::map<std::int64_t, std::vector<Configuration>> by_batch;
  for (const Configuration& configuration : problem.space)
    by_batch[configuration.integer("batch_size").value_or(0)].push_back(configuration);
  std::vector<std::pair<double, Configuration>> placed;
  for (auto& [batch, configurations] : by_batch) {
    shuffle(configurations, random);
    const double stride = 1.0 / static_cast<double>(configurations.size());
    const double start = static_cast<double>(random() >> 11) * 0x1p-53;
    for (std::size_t i = 0; i < configurations.size(); ++i)
      placed.emplace_back((static_cast<double>(i) + start) * stride, configurations[i]);
  }
  std::sort(placed.begin(), placed.end());
  std::vector<Configuration> order;
  for (auto& [place, configuration] : placed) order.push_back(std::move(configuration));
  return order;
}

}  // namespace

StrategyEntry make_grid() {
  return {"grid", "every configuration once, in a random order that spreads the batch sizes evenly",
          [](SearchProblem problem) { return std::make_unique<Blocks>(spread_order(problem), problem); }};
}

}  // namespace feedtune
