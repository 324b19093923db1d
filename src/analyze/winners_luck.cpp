#include "analyze/winners_luck.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace feedtune {
namespace {

/// What all trials of a block have in common, in the mean over the configurations in it.
std::map<int, double> block_effects(const Measurements& data) {
  std::map<int, double> sums, counts;
  for (const Measured& m : data.all)
    for (const auto& [block, value] : m.confirm_log) {
      sums[block] += value - data.fit.level.at(m.key);
      counts[block] += 1;
    }
  for (auto& [block, sum] : sums) sum /= counts.at(block);
  return sums;
}

}  // namespace

std::optional<double> fastest_without_luck(const Measurements& data, const Members& group) {
  std::vector<const Measured*> members;
  int most = 0;
  for (const Measured& m : data.all) {
    if (!m.usable() || !m.confirmed() || !group(m)) continue;
    members.push_back(&m);
    most = std::max(most, m.blocks());
  }
  std::erase_if(members, [&](const Measured* m) { return m->blocks() < std::max(2, std::min(most, min_blocks)); });
  const std::map<int, double> effects = block_effects(data);
  double sum = 0;
  int blocks = 0;
  for (const auto& [block, effect] : effects) {
    double lead = -std::numeric_limits<double>::infinity();
    std::optional<double> leaders;  // value in this block; absent where it was not measured there
    for (const Measured* m : members) {
      const double level = data.fit.level.at(m->key);
      const auto here = m->confirm_log.find(block);
      const bool measured = here != m->confirm_log.end();
      const double own = measured ? here->second - effect : level;
      const double elsewhere = measured ? (level * m->blocks() - own) / (m->blocks() - 1) : level;
      if (elsewhere <= lead) continue;
      lead = elsewhere;
      leaders = measured ? std::optional(own) : std::nullopt;
    }
    if (!leaders) continue;
    sum += *leaders;
    ++blocks;
  }
  if (blocks < 2) return std::nullopt;
  return sum / blocks;
}

}  // namespace feedtune
