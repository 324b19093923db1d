#include "search/promise.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace feedtune {
namespace {

constexpr double optimism = 2.5;  ///< standard deviations
constexpr std::size_t always_in = 10;

}  // namespace

std::vector<std::size_t> contenders(const Belief& belief, std::size_t most) {
  std::vector<std::pair<double, std::size_t>> measured, all;
  for (std::size_t i = 0; i < belief.space().size(); ++i) {
    if (!belief.allowed(i)) continue;
    all.emplace_back(-(belief.mean(i) + optimism * belief.sd(i)), i);
    if (belief.measured(i) > 0) measured.emplace_back(-belief.mean(i), i);
  }
  std::sort(all.begin(), all.end());
  std::sort(measured.begin(), measured.end());
  std::vector<std::size_t> chosen;
  const auto add = [&](std::size_t i) {
    if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) chosen.push_back(i);
  };
  for (std::size_t k = 0; k < measured.size() && k < always_in; ++k) add(measured[k].second);
  for (std::size_t k = 0; k < all.size() && chosen.size() < most; ++k) add(all[k].second);
  return chosen;
}

std::optional<std::size_t> leader(const Belief& belief) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < belief.space().size(); ++i)
    if (belief.allowed(i) && belief.measured(i) > 0 && (!best || belief.mean(i) > belief.mean(*best))) best = i;
  return best;
}

std::vector<std::size_t> most_promising(const Belief& belief, const Draws& draws, std::size_t count) {
  std::vector<double> best(draws.values.size(), -std::numeric_limits<double>::infinity());
  bool any_measured = false;
  for (std::size_t m = 0; m < draws.members.size(); ++m) {
    if (belief.measured(draws.members[m]) == 0) continue;
    any_measured = true;
    for (std::size_t d = 0; d < best.size(); ++d) best[d] = std::max(best[d], draws.values[d][m]);
  }
  if (!any_measured)  // nothing has worked yet: any value is a gain, the least and the only one too
    for (std::size_t d = 0; d < best.size(); ++d) best[d] = *std::min_element(draws.values[d].begin(), draws.values[d].end()) - 1;
  std::vector<bool> taken(draws.members.size());
  std::vector<std::size_t> order;
  while (order.size() < count) {
    double most = 0;
    std::optional<std::size_t> next;
    for (std::size_t m = 0; m < draws.members.size(); ++m) {
      const std::size_t i = draws.members[m];
      if (taken[m] || belief.measured(i) > 0) continue;
      double gain = 0;
      for (std::size_t d = 0; d < best.size(); ++d) gain += std::max(0.0, draws.values[d][m] - best[d]);
      gain *= (1 - belief.failure_odds(i)) / belief.cost_s(i);
      if (gain > most) most = gain, next = m;
    }
    if (!next) break;
    taken[*next] = true;
    order.push_back(draws.members[*next]);
    for (std::size_t d = 0; d < best.size(); ++d) best[d] = std::max(best[d], draws.values[d][*next]);
  }
  return order;
}

std::vector<std::size_t> worth_repeating(const Belief& belief, const Draws& draws, std::size_t count) {
  std::map<std::size_t, int> wins;
  for (const std::vector<double>& values : draws.values) {
    std::optional<std::size_t> best;
    for (std::size_t m = 0; m < values.size(); ++m)
      if (belief.measured(draws.members[m]) > 0 && (!best || values[m] > values[*best])) best = m;
    if (best) ++wins[draws.members[*best]];
  }
  std::vector<std::pair<double, std::size_t>> ranked;
  for (const auto& [i, times] : wins) ranked.emplace_back(-times * belief.sd(i) * belief.sd(i), i);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < ranked.size() && k < count; ++k) order.push_back(ranked[k].second);
  return order;
}

double odds_best_is_measured(const Belief& belief, const Draws& draws) {
  double times = 0;
  for (const std::vector<double>& values : draws.values) {
    const auto best = static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
    times += belief.measured(draws.members[best]) > 0 ? 1 : 0;
  }
  return times / static_cast<double>(draws.values.size());
}

Regret regret_of(const Draws& draws, std::size_t chosen, double tolerance) {
  const auto at = static_cast<std::size_t>(std::find(draws.members.begin(), draws.members.end(), chosen) - draws.members.begin());
  Regret regret;
  const auto count = static_cast<double>(draws.values.size());
  for (const std::vector<double>& values : draws.values) {
    const double lost = -std::expm1(values[at] - *std::max_element(values.begin(), values.end()));
    regret.expected += lost / count;
    regret.odds_over += (lost > tolerance ? 1 : 0) / count;
  }
  return regret;
}

}  // namespace feedtune
