#include "analyze/search_outcome.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

using namespace feedtune;

namespace {

Configuration workers(std::int64_t count) { return Configuration({{"num_workers", count}}); }

/// 0 workers: 50 images/s, 2: 95, 4: 100, 8 cannot run; all of it once takes 200 s.
MachineTruth truth() {
  return {.images_per_s =
              [](const Configuration& c) -> std::optional<double> {
                const std::map<std::int64_t, double> rates = {{0, 50}, {2, 95}, {4, 100}};
                const auto found = rates.find(*c.integer("num_workers"));
                return found == rates.end() ? std::nullopt : std::optional(found->second);
              },
          .fastest_images_per_s = 100,
          .exhaustive_s = 200};
}

Candidate candidate(std::int64_t count, double published) {
  Candidate c;
  c.configuration = workers(count);
  c.images_per_s.mean = published;
  return c;
}

Run run_with(const std::optional<Candidate>& best, const std::optional<Candidate>& recommended) {
  feedtune::Run run;
  run.recommendation.emplace();
  run.recommendation->best = best;
  run.recommendation->recommended = recommended;
  return run;
}

void publish_gain(Run& run, std::int64_t baseline, double low, double high) {
  run.recommendation->baseline = candidate(baseline, 1);
  Gain current{.over = "current", .ratio = {0.5, 0.4, 0.6, 5}, .method = "paired blocks", .detectable = {}};
  Gain gain{.over = "baseline", .ratio = {(low + high) / 2, low, high, 5}, .method = "paired blocks", .detectable = {}};
  run.recommendation->gains = {current, gain};
}

void add_trial(Run& run, const std::string& stage, double cost_s) {
  TrialResult trial;
  trial.stage = stage;
  trial.cost_s = cost_s;
  run.trials.push_back(trial);
}

}  // namespace

TEST(SearchOutcome, RegretIsWhatTheChoiceLosesAndBestAndRecommendedAreToldApart) {
  const SearchOutcome outcome = judge_search(run_with(candidate(4, 103), candidate(2, 96)), truth());
  EXPECT_DOUBLE_EQ(*outcome.regret, 0);
  EXPECT_NEAR(*outcome.recommended_regret, 0.05, 1e-12);
  EXPECT_NEAR(*outcome.bias, 0.03, 1e-12) << "published 103 of a true 100";
  EXPECT_FALSE(outcome.infeasible);
}

TEST(SearchOutcome, FindingNothingLosesAllUnlessThereIsNothing) {
  MachineTruth none = truth();
  for (const feedtune::Run& run : {feedtune::Run{}, run_with(std::nullopt, std::nullopt)}) {
    const SearchOutcome outcome = judge_search(run, truth());
    EXPECT_DOUBLE_EQ(*outcome.regret, 1);
    EXPECT_FALSE(outcome.bias || outcome.covered || outcome.false_gain);
    EXPECT_FALSE(outcome.infeasible);
  }
  none.fastest_images_per_s = 0;
  EXPECT_FALSE(judge_search(feedtune::Run{}, none).regret);
}

TEST(SearchOutcome, WhatCannotRunIsNeverAGoodChoice) {
  const SearchOutcome outcome = judge_search(run_with(candidate(8, 120), candidate(2, 95)), truth());
  EXPECT_TRUE(outcome.infeasible);
  EXPECT_DOUBLE_EQ(*outcome.regret, 1);
  EXPECT_FALSE(outcome.bias);
  EXPECT_TRUE(judge_search(run_with(candidate(4, 100), candidate(8, 100)), truth()).infeasible);
}

TEST(SearchOutcome, CostsAreSharesOfTheGridWithConfirmationApartAndAnchorsFree) {
  feedtune::Run run = run_with(candidate(4, 100), candidate(4, 100));
  add_trial(run, "component", 4);
  add_trial(run, "anchor", 50);
  add_trial(run, "explore", 10);
  add_trial(run, "explore", 6);
  add_trial(run, "confirm", 30);
  const SearchOutcome outcome = judge_search(run, truth());
  EXPECT_DOUBLE_EQ(*outcome.search_cost_share, 0.1);
  EXPECT_DOUBLE_EQ(*outcome.confirm_cost_share, 0.15);
  MachineTruth free = truth();
  free.exhaustive_s = 0;
  EXPECT_FALSE(judge_search(run, free).search_cost_share);
}

TEST(SearchOutcome, TheGainsIntervalIsHeldAgainstTheTrueRatioOverTheBaseline) {
  feedtune::Run run = run_with(candidate(4, 100), candidate(2, 95));  // 95 over 50: 1.9
  publish_gain(run, 0, 1.85, 1.95);
  EXPECT_EQ(judge_search(run, truth()).covered, true);
  EXPECT_EQ(judge_search(run, truth()).false_gain, false) << "there is a gain";
  publish_gain(run, 0, 1.91, 2.1);
  EXPECT_EQ(judge_search(run, truth()).covered, false);
  publish_gain(run, 4, 1.01, 1.2);  // 95 over 100
  EXPECT_EQ(judge_search(run, truth()).covered, false);
  EXPECT_EQ(judge_search(run, truth()).false_gain, true);
  publish_gain(run, 4, 0.9, 1.2);
  EXPECT_EQ(judge_search(run, truth()).covered, true);
  EXPECT_EQ(judge_search(run, truth()).false_gain, false);
}

TEST(SearchOutcome, ABaselineThatIsRecommendedProvesNothingAboutIntervals) {
  feedtune::Run run = run_with(candidate(4, 100), candidate(4, 100));
  publish_gain(run, 4, 1, 1);
  EXPECT_FALSE(judge_search(run, truth()).covered);
  EXPECT_EQ(judge_search(run, truth()).false_gain, false);
}

TEST(SearchScore, AveragesEachValueOverThoseThatHaveIt) {
  std::vector<SearchOutcome> outcomes(4);
  const double regrets[] = {0.00, 0.01, 0.02, 0.05};
  for (std::size_t i = 0; i < 4; ++i) outcomes[i].regret = regrets[i];
  outcomes[0].covered = true;
  outcomes[1].covered = false;
  outcomes[2].covered = true;
  outcomes[3].infeasible = true;
  const SearchScore all = score(outcomes);
  EXPECT_EQ(all.runs, 4);
  EXPECT_DOUBLE_EQ(*all.regret.mean, 0.02);
  EXPECT_NEAR(*all.regret_p95, 0.0455, 1e-12) << "numpy.percentile([0, .01, .02, .05], 95)";
  EXPECT_DOUBLE_EQ(*all.coverage.mean, 2.0 / 3);
  EXPECT_EQ(all.coverage.n, 3);
  EXPECT_FALSE(all.bias.mean || all.false_gain.mean || all.recommended_regret_p95);
  EXPECT_EQ(all.infeasible, 1);
  EXPECT_FALSE(score({}).regret.mean);
}
