#include "search/blocks.hpp"
#include "search/shuffle.hpp"
#include "search/spread_order.hpp"

namespace feedtune {

StrategyEntry make_grid() {
  return {"grid", "every configuration once, in a random order that spreads the batch sizes evenly", [](SearchProblem problem) {
            std::mt19937_64 random(mixed(problem.seed, 0));
            return std::make_unique<Blocks>(spread_order(problem.space, random), problem);
          },
          true};
}

}  // namespace feedtune
