#include "analyze/search_outcome.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "measure/statistics.hpp"

namespace feedtune {
namespace {

double cost_s(const Run& run, std::initializer_list<const char*> stages) {
  double sum = 0;
  for (const TrialResult& trial : run.trials)
    if (std::find(stages.begin(), stages.end(), trial.stage) != stages.end()) sum += trial.cost_s;
  return sum;
}

std::optional<double> true_rate(const MachineTruth& truth, const std::optional<Candidate>& candidate) {
  return candidate ? truth.images_per_s(candidate->configuration) : std::nullopt;
}

void judge_gain(const Recommendation& recommendation, const MachineTruth& truth, SearchOutcome& outcome) {
  const auto gain = std::find_if(recommendation.gains.begin(), recommendation.gains.end(),
                                 [](const Gain& g) { return g.over == "baseline"; });
  const auto recommended = true_rate(truth, recommendation.recommended);
  const auto baseline = true_rate(truth, recommendation.baseline);
  if (gain == recommendation.gains.end() || !recommended || !baseline) return;
  const double ratio = *recommended / *baseline;
  if (recommendation.recommended->configuration != recommendation.baseline->configuration)
    outcome.covered = gain->ratio.low <= ratio && ratio <= gain->ratio.high;
  outcome.false_gain = gain->ratio.low > 1 && ratio <= 1;
}

template <class T>
std::vector<double> values_of(std::span<const SearchOutcome> outcomes, std::optional<T> SearchOutcome::* field) {
  std::vector<double> values;
  for (const SearchOutcome& outcome : outcomes)
    if (const auto& value = outcome.*field) values.push_back(static_cast<double>(*value));
  return values;
}

Average average(const std::vector<double>& values) {
  if (values.empty()) return {};
  return {.mean = mean(values), .n = std::ssize(values)};
}

std::optional<double> p95(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(quantile(values, 0.95));
}

}  // namespace

SearchOutcome judge_search(const Run& run, const MachineTruth& truth) {
  SearchOutcome outcome;
  if (truth.exhaustive_s > 0) {
    outcome.search_cost_share = cost_s(run, {"component", "explore"}) / truth.exhaustive_s;
    outcome.confirm_cost_share = cost_s(run, {"confirm"}) / truth.exhaustive_s;
  }
  const Recommendation recommendation = run.recommendation.value_or(Recommendation{});
  const auto best = true_rate(truth, recommendation.best);
  const auto recommended = true_rate(truth, recommendation.recommended);
  outcome.infeasible = (recommendation.best && !best) || (recommendation.recommended && !recommended);
  if (truth.fastest_images_per_s > 0) {
    outcome.regret = 1 - best.value_or(0) / truth.fastest_images_per_s;
    outcome.recommended_regret = 1 - recommended.value_or(0) / truth.fastest_images_per_s;
  }
  if (best) outcome.bias = recommendation.best->images_per_s.mean / *best - 1;
  judge_gain(recommendation, truth, outcome);
  return outcome;
}

SearchScore score(std::span<const SearchOutcome> outcomes) {
  const auto regret = values_of(outcomes, &SearchOutcome::regret);
  const auto recommended = values_of(outcomes, &SearchOutcome::recommended_regret);
  return {.runs = std::ssize(outcomes),
          .regret = average(regret),
          .recommended_regret = average(recommended),
          .regret_p95 = p95(regret),
          .recommended_regret_p95 = p95(recommended),
          .search_cost_share = average(values_of(outcomes, &SearchOutcome::search_cost_share)),
          .confirm_cost_share = average(values_of(outcomes, &SearchOutcome::confirm_cost_share)),
          .bias = average(values_of(outcomes, &SearchOutcome::bias)),
          .coverage = average(values_of(outcomes, &SearchOutcome::covered)),
          .false_gain = average(values_of(outcomes, &SearchOutcome::false_gain)),
          .infeasible = std::count_if(outcomes.begin(), outcomes.end(), [](const SearchOutcome& o) { return o.infeasible; })};
}

}  // namespace feedtune
