// Probes spread over the space, then blocks of the most promising configurations by what is believed of all of them, the
// front measured again, until little can be gained (METHOD.md section 2).

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/belief.hpp"
#include "search/probes.hpp"
#include "search/promise.hpp"
#include "search/shuffle.hpp"

namespace feedtune {
namespace {

constexpr std::uint64_t guided_stream = 2;
constexpr std::size_t block_size = 8;         ///< with the reference at its end
constexpr std::size_t small_space = 30;       ///< measured completely
constexpr std::size_t least_trials = 30;      ///< that a search without a budget may take
constexpr std::size_t most_trials = 400;      ///< beyond it the fits take seconds
constexpr std::size_t most_candidates = 3000;
constexpr double share_of_space = 0.1;        ///< of the cost of measuring everything, without a budget
constexpr double tolerance = 0.02, accepted_odds = 0.05;
constexpr std::size_t most_contenders = 160;
constexpr int draws_per_block = 400;

/// Sorted, so that the order of the problem means nothing; of a huge space a random part.
std::vector<Configuration> candidates_of(const SearchProblem& problem, std::mt19937_64& random) {
  std::vector<Configuration> space = problem.space;
  std::sort(space.begin(), space.end());
  if (space.size() > most_candidates) {
    shuffle(space, random);
    space.resize(most_candidates);
    space.push_back(problem.reference);
    std::sort(space.begin(), space.end());
    space.erase(std::unique(space.begin(), space.end()), space.end());
  }
  return space;
}

class Guided final : public Strategy {
 public:
  explicit Guided(SearchProblem problem)
      : problem_(std::move(problem)),
        random_(mixed(problem_.seed, guided_stream)),
        belief_(candidates_of(problem_, random_), problem_),
        reference_(place_of(problem_.reference)) {
    for (const TrialResult& t : problem_.components) components_s_ += t.cost_s;
    spent_s_ = components_s_;
    plan_probes();
  }

  std::vector<TrialPlan> ask() override {
    std::vector<std::size_t> chosen = next_probe_ < probes_.size() ? next_probes() : next_by_belief();
    const bool first = block_ == 0;
    if (chosen.empty() && !first) return {};
    shuffle(chosen, random_);
    std::erase(chosen, reference_);
    ++block_;
    std::vector<TrialPlan> block;
    if (first) block.push_back(plan(reference_));
    for (const std::size_t i : chosen) block.push_back(plan(i));
    if (!chosen.empty()) block.push_back(plan(reference_));
    return block;
  }

  void tell(std::span<const TrialResult> results) override {
    belief_.tell(results);
    for (const TrialResult& result : results) spent_s_ += result.cost_s;
    trials_ += results.size();
    stale_ = true;
  }

 private:
  std::size_t place_of(const Configuration& c) const {
    return static_cast<std::size_t>(std::lower_bound(belief_.space().begin(), belief_.space().end(), c) - belief_.space().begin());
  }
  TrialPlan plan(std::size_t i) const {
    return {.configuration = belief_.space()[i], .purpose = Purpose::trial, .block = block_, .target = problem_.target};
  }
  void refresh() {
    if (stale_) belief_.update();
    stale_ = false;
  }
  bool small() const { return problem_.space.size() <= small_space; }

  void plan_probes() {
    std::size_t count = std::clamp<std::size_t>(6 + belief_.coordinates().axes.size(), 8, 14);
    if (problem_.budget.trials) count = std::min(count, static_cast<std::size_t>(std::max<std::int64_t>(1, *problem_.budget.trials / 4)));
    if (small()) count = belief_.space().size();
    std::vector<bool> usable(belief_.space().size());
    const double most_s = most_probe_s(count);
    for (std::size_t i = 0; i < usable.size(); ++i) usable[i] = i != reference_ && belief_.allowed(i) && belief_.cost_s(i) <= most_s;
    probes_ = spread_probes(belief_.coordinates(), usable, reference_, count, random_);
  }

  /// What one of `count` probes may take of a budget of seconds: a large batch of a slow loader takes as long as ten others.
  double most_probe_s(std::size_t count) const {
    double cheapest_s = std::numeric_limits<double>::infinity();
    if (!problem_.budget.seconds || small()) return cheapest_s;
    for (std::size_t i = 0; i < belief_.space().size(); ++i)
      if (belief_.allowed(i)) cheapest_s = std::min(cheapest_s, belief_.cost_s(i));
    const double search_s = (1 - confirm_share) * (*problem_.budget.seconds - components_s_);
    return std::max(2 * cheapest_s, search_s / static_cast<double>(count));
  }

  std::vector<std::size_t> next_probes() {
    refresh();
    std::vector<std::size_t> chosen;
    for (; next_probe_ < probes_.size() && chosen.size() + 1 < block_size; ++next_probe_)
      if (belief_.allowed(probes_[next_probe_])) chosen.push_back(probes_[next_probe_]);
    return chosen.empty() ? next_by_belief() : chosen;
  }

  std::vector<std::size_t> next_by_belief() {
    refresh();
    if (spent()) return {};
    const std::vector<std::size_t> members = contenders(belief_, most_contenders);
    if (members.empty()) return {};
    const Draws draws = belief_.draw(members, draws_per_block, random_);
    if (const auto lead = leader(belief_)) {
      const Regret regret = regret_of(draws, *lead, tolerance);
      if (regret.expected <= tolerance / 4 && regret.odds_over <= accepted_odds) return {};
    }
    std::vector<std::size_t> chosen = worth_repeating(belief_, draws, repeats(draws));
    for (const std::size_t i : most_promising(belief_, draws, block_size - 1 - chosen.size())) chosen.push_back(i);
    if (chosen.size() + 1 < block_size)  // nothing new promises anything: the front again
      for (const std::size_t i : worth_repeating(belief_, draws, block_size - 1))
        if (chosen.size() + 1 < block_size && std::find(chosen.begin(), chosen.end(), i) == chosen.end()) chosen.push_back(i);
    return chosen;
  }

  /// Trials of the front in the next block: as likely as the best has been measured already, telling the front apart is
  /// worth more than going on looking.
  std::size_t repeats(const Draws& draws) const {
    constexpr double others = static_cast<double>(block_size - 1);
    return static_cast<std::size_t>(std::clamp(std::round(others * odds_best_is_measured(belief_, draws)), 1.0, others - 1));
  }

  /// Without a budget: of a tenth of the whole space's cost, with the next block.
  double share_spent() const {
    const auto trials = static_cast<double>(trials_);
    double all_s = 0;
    for (std::size_t i = 0; i < belief_.space().size(); ++i) all_s += belief_.cost_s(i);
    const double mean_s = trials_ > 0 ? (spent_s_ - components_s_) / trials : 0;
    all_s *= static_cast<double>(problem_.space.size()) / static_cast<double>(belief_.space().size());
    const double share = (spent_s_ + static_cast<double>(block_size) * mean_s) / (share_of_space * all_s);
    return std::min(share, trials / static_cast<double>(std::min(problem_.space.size(), least_trials)));
  }

  /// A budget given by the user is the sweep's business.
  bool spent() const {
    return trials_ >= most_trials || (!problem_.budget.trials && !problem_.budget.seconds && share_spent() >= 1);
  }

  SearchProblem problem_;
  std::mt19937_64 random_;
  Belief belief_;
  std::size_t reference_;
  std::vector<std::size_t> probes_;
  std::size_t next_probe_ = 0;
  std::size_t trials_ = 0;
  double components_s_ = 0, spent_s_ = 0;
  int block_ = 0;
  bool stale_ = false;
};

}  // namespace

StrategyEntry make_guided() {
  return {"guided", "predicts every configuration from a few trials and measures where the best may be; stops when little is left to gain",
          [](SearchProblem problem) { return std::make_unique<Guided>(std::move(problem)); }};
}

}  // namespace feedtune
