#include <algorithm>

#include "search/blocks.hpp"
#include "search/shuffle.hpp"

namespace feedtune {

StrategyEntry make_random() {
  return {"random", "configurations drawn at random, none twice, until the budget ends", [](SearchProblem problem) {
            std::mt19937_64 random(mixed(problem.seed, 1));
            std::vector<Configuration> order = problem.space;
            std::sort(order.begin(), order.end());
            shuffle(order, random);
            return std::make_unique<Blocks>(std::move(order), problem);
          },
          true};
}

}  // namespace feedtune
