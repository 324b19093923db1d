// Sequential halving (Karnin et al. 2013): every configuration once, the better half again, and so on until one is left;
// with a budget for fewer trials than configurations, on a random part of them (arXiv 2210.16913 bounds what that loses).

#include <algorithm>
#include <cmath>
#include <map>

#include "search/blocks.hpp"
#include "search/shuffle.hpp"
#include "search/spread_order.hpp"

namespace feedtune {
namespace {

class Halving final : public Strategy {
 public:
  explicit Halving(SearchProblem problem) : problem_(std::move(problem)), random_(mixed(problem_.seed, 2)), blocks_({}, problem_) {
    order_ = spread_order(problem_.space, random_);
    std::erase(order_, problem_.reference);
    start_first_rung(problem_.budget.trials ? part_for(static_cast<double>(*problem_.budget.trials)) : costing_batch);
  }

  std::vector<TrialPlan> ask() override {
    for (;;) {
      std::vector<TrialPlan> block = blocks_.ask();
      if (!block.empty()) return block;
      if (!widened_) {
        widened_ = true;
        start_first_rung(affordable_part());
      } else if (!next_rung()) {
        return {};
      }
    }
  }

  void tell(std::span<const TrialResult> results) override {
    blocks_.tell(results);
    for (const TrialResult& result : results) {
      cost_s_ += result.cost_s;
      ++told_;
      if (result.status != TrialStatus::ok || !result.images_per_s || !(result.images_per_s->mean > 0)) continue;
      const double value = std::log(result.images_per_s->mean);
      if (result.configuration == problem_.reference) reference_log_[result.block].push_back(value);
      else log_rates_[result.configuration].emplace_back(result.block, value);
    }
  }

 private:
  static constexpr std::size_t costing_batch = 8;  ///< measured before what a trial costs is known

  /// How many configurations can be halved down with so many trials: n + n / 2 + ... < 2 n, and a reference to each 8.
  /// Trials repeat within a few per cent where configurations differ by factors, so that a rung is one more trial of each
  /// that is left; the same number of trials a rung, as in the paper, would reach far fewer configurations.
  std::size_t part_for(double trials) const {
    const double searching = (1 - confirm_share) * trials;
    return std::min(order_.size(), static_cast<std::size_t>(std::max(1.0, searching / (2 * 9.0 / 8))));
  }
  std::size_t affordable_part() const {
    if (!problem_.budget.seconds || told_ == 0 || cost_s_ <= 0) return problem_.budget.trials ? first_rung_ : order_.size();
    double seconds = *problem_.budget.seconds;
    for (const TrialResult& component : problem_.components) seconds -= component.cost_s;
    const std::size_t part = part_for(seconds / (cost_s_ / told_));
    return problem_.budget.trials ? std::min(part, first_rung_) : part;
  }

  /// The first rung grows to `size`; never shrinks.
  void start_first_rung(std::size_t size) {
    size = std::min(size, order_.size());
    if (size <= first_rung_) return;
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first_rung_);
    survivors_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(size));
    blocks_.append({begin, order_.begin() + static_cast<std::ptrdiff_t>(size)});
    first_rung_ = size;
  }

  /// The better half of those that gave a result goes on, in a new order. False: one or none is left.
  bool next_rung() {
    const std::map<Configuration, double> score = scores();
    std::erase_if(survivors_, [&](const Configuration& c) { return !score.contains(c); });
    if (survivors_.size() < 2) return false;
    std::stable_sort(survivors_.begin(), survivors_.end(),
                     [&](const Configuration& a, const Configuration& b) { return score.at(a) > score.at(b); });
    survivors_.resize((survivors_.size() + 1) / 2);
    if (survivors_.size() < 2) return false;
    std::vector<Configuration> order = survivors_;
    shuffle(order, random_);
    blocks_.append(std::move(order));
    return true;
  }

  /// Mean log images/s of each configuration, each trial less what its block's references say of the machine then.
  std::map<Configuration, double> scores() const {
    double sum = 0, count = 0;
    for (const auto& [block, values] : reference_log_)
      for (const double value : values) sum += value, count += 1;
    std::map<Configuration, double> scores;
    for (const auto& [configuration, trials] : log_rates_) {
      double total = 0;
      for (const auto& [block, value] : trials) total += value - drift_of(block, count > 0 ? sum / count : 0);
      scores[configuration] = total / static_cast<double>(trials.size());
    }
    return scores;
  }
  double drift_of(int block, double usual) const {
    double sum = 0, count = 0;
    for (const int bracket : {block - 1, block})
      if (const auto found = reference_log_.find(bracket); found != reference_log_.end())
        sum += found->second.back(), count += 1;
    return count > 0 ? sum / count - usual : 0;
  }

  SearchProblem problem_;
  std::mt19937_64 random_;
  Blocks blocks_;
  std::vector<Configuration> order_;
  std::vector<Configuration> survivors_;
  std::size_t first_rung_ = 0;
  bool widened_ = false;
  double cost_s_ = 0;
  double told_ = 0;
  std::map<int, std::vector<double>> reference_log_;                        ///< by block
  std::map<Configuration, std::vector<std::pair<int, double>>> log_rates_;  ///< with the block
};

}  // namespace

StrategyEntry make_halving() {
  return {"halving", "sequential halving: all (or what the budget allows) once, the better half again, down to one",
          [](SearchProblem problem) { return std::make_unique<Halving>(std::move(problem)); }};
}

}  // namespace feedtune
