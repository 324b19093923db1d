#include "analyze/winners_luck.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analyze/recommend.hpp"
#include "measure/statistics.hpp"

namespace feedtune {
namespace {

TrialResult confirmed(std::int64_t workers, int block, double rate) {
  TrialResult trial;
  trial.configuration.set("batch_size", std::int64_t{64});
  trial.configuration.set("num_workers", workers);
  trial.stage = "confirm";
  trial.block = block;
  trial.images_per_s = Interval{rate, rate * 0.99, rate * 1.01, 20};
  return trial;
}

bool anyone(const Measured&) { return true; }

TEST(WinnersLuck, OneThatLeadsInEveryBlockIsPublishedAsMeasured) {
  feedtune::Run run;
  for (int block = 1; block <= 4; ++block) {
    run.trials.push_back(confirmed(1, block, 100 + block));
    run.trials.push_back(confirmed(2, block, 2 * (100 + block)));
  }
  // All blocks' mean of log(2 x): the block effects have mean 0.
  const double expected = (std::log(202.0) + std::log(204.0) + std::log(206.0) + std::log(208.0)) / 4;
  EXPECT_NEAR(fastest_without_luck(gather(run), anyone).value(), expected, 1e-9);
  EXPECT_NEAR(recommend(run, {}).best.value().images_per_s.mean, std::exp(expected), 1e-6);
}

TEST(WinnersLuck, EachBlockIsJudgedByThoseThatLeadInTheOthers) {
  // Logs by block: A 0, 0, 3; B 1, 1, -2 and a block effect that is 0 by symmetry about 0.5. A leads without block 1 or
  // 2, (0 + 3) / 2 to (1 - 2) / 2, and has 0 there; B without block 3, 1 to 0, and has -2.
  feedtune::Run run;
  const double a[] = {0, 0, 3}, b[] = {1, 1, -2};
  for (int block = 0; block < 3; ++block) {
    run.trials.push_back(confirmed(1, block + 1, std::exp(a[block])));
    run.trials.push_back(confirmed(2, block + 1, std::exp(b[block])));
  }
  EXPECT_NEAR(fastest_without_luck(gather(run), anyone).value(), (0.0 + 0.0 - 2.0) / 3, 1e-9);
}

TEST(WinnersLuck, OneBlockSaysNothingOfLuck) {
  feedtune::Run run;
  run.trials = {confirmed(1, 1, 100), confirmed(2, 1, 110)};
  EXPECT_FALSE(fastest_without_luck(gather(run), anyone));
  EXPECT_NEAR(recommend(run, {}).best.value().images_per_s.mean, 110, 1e-9);
}

/// A dozen that are equal, in 6 blocks at 2 % of noise: the luckiest mean is 1.6 standard errors (1.3 %) up.
TEST(WinnersLuck, OfManyEqualOnesTheFastestIsNotOverReported) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.02);
  Moments bias, naive;
  for (int i = 0; i < 300; ++i) {
    feedtune::Run run;
    for (int block = 1; block <= 6; ++block)
      for (std::int64_t workers = 1; workers <= 12; ++workers) run.trials.push_back(confirmed(workers, block, 1000 * std::exp(noise(random))));
    const Measurements data = gather(run);
    double highest = 0;
    for (const Measured& m : data.all) highest = std::max(highest, data.estimate(m));
    naive.add(highest - std::log(1000));
    bias.add(std::log(recommend(run, {}).best.value().images_per_s.mean / 1000));
  }
  EXPECT_GT(naive.mean(), 0.01);
  EXPECT_NEAR(bias.mean(), 0, 0.003);
}

TEST(WinnersLuck, NothingIsPublishedAsFasterThanTheBest) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(0, 0.02);
  for (int i = 0; i < 50; ++i) {
    feedtune::Run run;
    for (int block = 1; block <= 6; ++block)
      for (std::int64_t workers = 1; workers <= 12; ++workers) run.trials.push_back(confirmed(workers, block, 1000 * std::exp(noise(random))));
    const Recommendation r = recommend(run, {});
    EXPECT_LE(r.recommended.value().images_per_s.mean, r.best.value().images_per_s.mean * (1 + 1e-12));
    for (const Candidate& c : r.equivalent) EXPECT_LE(c.images_per_s.mean, r.best->images_per_s.mean * (1 + 1e-12));
  }
}

}  // namespace
}  // namespace feedtune
