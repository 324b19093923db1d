#include "search/spread_order.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "search/shuffle.hpp"

namespace feedtune {

std::vector<Configuration> spread_order(std::vector<Configuration> configurations, std::mt19937_64& random) {
  std::sort(configurations.begin(), configurations.end());
  std::map<std::int64_t, std::vector<Configuration>> by_batch;
  for (Configuration& configuration : configurations)
    by_batch[configuration.integer("batch_size").value_or(0)].push_back(std::move(configuration));
  std::vector<std::pair<double, Configuration>> placed;
  for (auto& [batch, of_batch] : by_batch) {
    shuffle(of_batch, random);
    const double stride = 1.0 / static_cast<double>(of_batch.size());
    const double start = static_cast<double>(random() >> 11) * 0x1p-53;
    for (std::size_t i = 0; i < of_batch.size(); ++i)
      placed.emplace_back((static_cast<double>(i) + start) * stride, std::move(of_batch[i]));
  }
  std::sort(placed.begin(), placed.end());
  std::vector<Configuration> order;
  for (auto& [place, configuration] : placed) order.push_back(std::move(configuration));
  return order;
}

}  // namespace feedtune
