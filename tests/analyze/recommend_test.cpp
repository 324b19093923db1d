#include "analyze/recommend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "run_builder.hpp"

using namespace feedtune;
using namespace feedtune::testing;
using ::testing::Contains;
using ::testing::HasSubstr;

namespace {

std::vector<std::string> keys(const std::vector<Candidate>& candidates) {
  std::vector<std::string> found;
  for (const Candidate& c : candidates) found.push_back(c.configuration.key());
  return found;
}

void expect_finite(const Interval& i) {
  EXPECT_TRUE(std::isfinite(i.mean) && std::isfinite(i.low) && std::isfinite(i.high));
  EXPECT_LE(i.low, i.mean);
  EXPECT_LE(i.mean, i.high);
}

void expect_finite(const Candidate& c) {
  expect_finite(c.images_per_s);
  if (c.loss) expect_finite(*c.loss);
}

void expect_finite(const Recommendation& r) {
  for (const auto* c : {&r.recommended, &r.best, &r.pytorch, &r.knee, &r.largest_fit, &r.baseline, &r.current})
    if (*c) expect_finite(**c);
  for (const auto* list : {&r.equivalent, &r.undecided})
    for (const Candidate& c : *list) expect_finite(c);
  for (const PerBatch& b : r.per_batch) expect_finite(b.best);
  for (const Gain& g : r.gains) expect_finite(g.ratio);
  if (r.knee_gain) expect_finite(*r.knee_gain);
}

}  // namespace

TEST(Recommend, AmongEqualsTheFewestWorkersWin) {
  RunBuilder b;
  for (const auto& [s, phase] : {std::pair{pooled_8, 0}, std::pair{pooled_2, 1}})
    b.confirm(make(s), blocks(1000, 8, phase));
  const Recommendation r = recommend(b.run, {});
  ASSERT_TRUE(r.recommended);
  EXPECT_EQ(r.recommended->configuration, make(pooled_2));
  EXPECT_EQ(r.best->images_per_s.n, 8);
  EXPECT_TRUE(r.decided);
}

TEST(Recommend, WithEqualWorkersTheLeastMemoryWinsAndThenTheKey) {
  RunBuilder b;
  const Configuration deep = make({.workers = 2, .prefetch = 4}), shallow = make({.workers = 2, .prefetch = 1});
  for (const auto& c : {deep, shallow}) b.confirm(c, blocks(1000, 8));
  EXPECT_EQ(recommend(b.run, {}).recommended->configuration, shallow) << "fewer slots, by the formula";
  // Which slots a trial had allocated when it ended is chance, and must not choose between equals.
  for (TrialResult& t : b.run.trials) t.memory.batch_buffer_bytes = t.configuration == deep ? 10 : 20;
  EXPECT_EQ(recommend(b.run, {}).recommended->configuration, shallow);

  RunBuilder same;
  Configuration one = make({.workers = 2}), two = one;
  two.set("sync", std::string("each"));
  for (const auto& c : {one, two}) same.confirm(c, blocks(1000, 8));
  EXPECT_EQ(recommend(same.run, {}).recommended->configuration,
            std::min(one, two, [](const auto& x, const auto& y) { return x.key() < y.key(); }));
}

TEST(Recommend, ACurrentWithoutABatchSizeIsComparedAtTheRecommendedOne) {
  RunBuilder b;
  b.run.spec.current = Configuration({{"loader", std::string("batch_per_worker")}, {"num_workers", std::int64_t{2}}});
  for (const std::int64_t batch : {1024, 16, 64}) {
    b.confirm(make({.batch = batch, .workers = 2}), blocks(batch == 64 ? 500.0 : 300.0, 6));
    b.confirm(make({.batch = batch, .workers = 8, .loader = "pooled"}), blocks(batch == 64 ? 1000.0 : 600.0, 6, 1));
  }
  const Recommendation r = recommend(b.run, {});
  ASSERT_TRUE(r.recommended && r.current);
  EXPECT_EQ(r.recommended->configuration.integer("batch_size"), 64);
  EXPECT_EQ(r.current->configuration, make({.batch = 64, .workers = 2})) << "'1024' comes before '16' as text";
}

TEST(Recommend, AClearlyFasterSettingWinsThoughItCostsMore) {
  RunBuilder b;
  b.confirm(make(pooled_2), blocks(900, 4));
  b.confirm(make(pooled_8), blocks(1000, 4, 1));
  const Recommendation r = recommend(b.run, {});
  EXPECT_EQ(r.recommended->configuration, make(pooled_8));
  EXPECT_EQ(r.best->verdict, "best");
  EXPECT_TRUE(r.equivalent.empty());
  EXPECT_TRUE(r.undecided.empty());
  EXPECT_TRUE(r.decided);
  EXPECT_NEAR(r.best->images_per_s.mean, 1000, 3);
}

TEST(Recommend, ALossThatCouldBeEitherSideOfTheLimitIsUndecidedAndItSaysSo) {
  RunBuilder b;
  b.confirm(make(pooled_2), {960, 1015, 975, 1000});
  b.confirm(make(pooled_8), {1000, 1000, 1000, 1000});
  const Recommendation r = recommend(b.run, {});
  EXPECT_EQ(keys(r.undecided), std::vector<std::string>{make(pooled_2).key()});
  EXPECT_EQ(r.recommended->configuration, make(pooled_2)) << "mean loss 1.3 %: the cheapest that may be within 2 %";
  EXPECT_EQ(r.recommended->verdict, "undecided");
  EXPECT_FALSE(r.decided);
  EXPECT_THAT(r.warnings, Contains(HasSubstr("no setting is proven")));
}

TEST(Recommend, ACheaperSettingSeenInOneBlockDoesNotReplaceTheBestOfMany) {
  RunBuilder b;
  const Configuration cheap = make({.batch = 32, .workers = 1}), many = make({.batch = 64, .workers = 4});
  b.confirm(many, {900, 800, 1000, 850, 950, 1000});
  b.confirm(cheap, {900});
  b.confirm(baseline_at(64), {300, 330, 310, 290, 320, 300});
  const Recommendation r = recommend(b.run, {});
  ASSERT_TRUE(r.recommended.has_value());
  EXPECT_EQ(r.recommended->configuration, many) << "one block at the best's own rate is no evidence";
  EXPECT_FALSE(r.decided) << "the cheaper one is still to be measured";
}

TEST(Recommend, ConfirmedNumbersReplaceTheLuckyOnesOfTheSearch) {
  RunBuilder b;
  b.explore(make(pooled_2), 1200);  // lucky
  b.explore(make(pooled_8), 1000);
  b.confirm(make(pooled_2), blocks(900, 4));
  b.confirm(make(pooled_8), blocks(1000, 4));
  const Recommendation r = recommend(b.run, {});
  EXPECT_EQ(r.recommended->configuration, make(pooled_8));
  EXPECT_EQ(r.recommended->stage, "confirm");
  for (const PerBatch& batch : r.per_batch) EXPECT_LT(batch.best.images_per_s.high, 1100);
}

TEST(Recommend, DriftBetweenBlocksDoesNotHideADifferenceWithinThem) {
  RunBuilder b;
  const double drift[] = {1.0, 0.8, 1.2, 0.9, 1.1};
  for (int block = 0; block < 5; ++block) {
    const double wobble = 1 + 0.001 * (block % 3 - 1);
    b.confirm(make(pooled_2), block + 1, 950 * drift[block] * wobble);
    b.confirm(make(pooled_8), block + 1, 1000 * drift[block]);
  }
  const Recommendation r = recommend(b.run, {});
  EXPECT_EQ(r.recommended->configuration, make(pooled_8));
  EXPECT_TRUE(r.undecided.empty()) << "5 % slower in every block is told apart";
}

TEST(Recommend, WithoutCurrentTheHeadlineIsTheKnee) {
  RunBuilder b;
  for (std::int64_t batch : {32, 64, 128, 256})
    b.confirm(make({.batch = batch, .workers = 4, .loader = "pooled"}), blocks(batch == 32   ? 800
                                                                               : batch == 64 ? 995
                                                                                             : 1000,
                                                                               8, static_cast<int>(batch) % 3));
  for (TrialResult& t : b.run.trials) t.memory.device_peak_bytes = 1'000'000;
  const Recommendation r = recommend(b.run, {});
  EXPECT_EQ(r.headline, "knee");
  EXPECT_EQ(r.recommended->configuration.integer("batch_size"), 64);
  EXPECT_EQ(r.knee->configuration, r.recommended->configuration);
  ASSERT_EQ(r.per_batch.size(), 4u);
  EXPECT_EQ(r.per_batch[0].batch_size, 32);
  EXPECT_NEAR(r.per_batch[0].best.loss->mean, 0.2, 0.01);
  EXPECT_EQ(r.largest_fit->configuration.integer("batch_size"), 256);
  EXPECT_THAT(r.warnings, Contains(HasSubstr("learning rate")));
}

TEST(Recommend, WithCurrentTheUsersBatchIsKeptAndTheLargerOneIsNamedWithItsGain) {
  RunBuilder b;
  const Configuration current = make({.batch = 32, .workers = 2, .memory = "pageable"});
  b.run.spec.current = Configuration(
      {{"batch_size", std::int64_t{32}}, {"num_workers", std::int64_t{2}}, {"host_memory", std::string("pageable")}});
  b.confirm(current, blocks(400, 6));
  b.confirm(make({.batch = 32, .workers = 8, .loader = "pooled"}), blocks(800, 6, 1));
  b.confirm(make({.batch = 128, .workers = 8, .loader = "pooled"}), blocks(1000, 6, 2));
  const Recommendation r = recommend(b.run, {});
  EXPECT_EQ(r.headline, "current_batch");
  EXPECT_EQ(r.recommended->configuration.integer("batch_size"), 32);
  EXPECT_EQ(r.recommended->configuration.integer("num_workers"), 8);
  EXPECT_EQ(r.knee->configuration.integer("batch_size"), 128);
  EXPECT_NEAR(r.knee_gain->mean, 1.25, 0.01);
  EXPECT_FALSE(r.batch_changed);
  ASSERT_TRUE(r.current);
  EXPECT_EQ(r.current->configuration, current) << "axes that were not given are free";
  ASSERT_EQ(r.gains.size(), 1u);
  EXPECT_EQ(r.gains[0].over, "current");
  EXPECT_NEAR(r.gains[0].ratio.mean, 2, 0.02);
  EXPECT_EQ(r.gains[0].method, "paired blocks");
  EXPECT_EQ(r.gains[0].ratio.n, 6);
}

TEST(Recommend, GainOverTheBaselineIsFoundByItsSettings) {
  RunBuilder b;
  b.confirm(baseline_at(64), blocks(250, 4));
  b.confirm(make(pooled_8), blocks(1000, 4, 1));
  const Recommendation r = recommend(b.run, {});
  ASSERT_TRUE(r.baseline);
  ASSERT_EQ(r.gains.size(), 1u);
  EXPECT_EQ(r.gains[0].over, "baseline");
  EXPECT_NEAR(r.gains[0].ratio.mean, 4, 0.05);
}

TEST(Recommend, PyTorchsBestIsNeverPooledAndNeverAPartialDecoder) {
  RunBuilder b;
  Configuration partial = make({.workers = 4});
  partial.set("decoder", std::string("turbo"));
  Configuration bytes = make({.workers = 4});
  bytes.set("input_type", std::string("uint8"));
  b.confirm(make(pooled_8), blocks(1000, 4));
  b.confirm(partial, blocks(990, 4));
  b.confirm(bytes, blocks(990, 4));
  b.confirm(make({.workers = 4}), blocks(700, 4));
  const Recommendation r = recommend(b.run, {});
  ASSERT_TRUE(r.pytorch);
  EXPECT_EQ(r.pytorch->configuration, make({.workers = 4}));
}

TEST(Recommend, AConfirmedBaselineFarBehindIsNoAdviceForPyTorch) {
  // The budget ended after one block that held the winner and the baseline; the search saw four workers do far better.
  RunBuilder b;
  b.explore(make({.workers = 4, .loader = "pooled"}), 400);
  b.explore(make({.workers = 4}), 350);
  b.explore(baseline_at(64), 220);
  b.confirm(make({.workers = 4, .loader = "pooled"}), 1, 390);
  b.confirm(baseline_at(64), 1, 215);
  const Recommendation r = recommend(b.run, {});
  ASSERT_TRUE(r.pytorch);
  EXPECT_EQ(r.pytorch->configuration.integer("num_workers"), 4);
}

TEST(Recommend, WhatFillsTheMemoryIsNotRecommendedAndLargestFitKeepsTenPercentFree) {
  RunBuilder b;
  for (std::int64_t batch : {64, 128, 256}) {
    const Configuration c = make({.batch = batch, .loader = "pooled"});
    for (int block = 1; block <= 4; ++block) {
      TrialResult& t = b.confirm(c, block, static_cast<double>(batch) * 10 * (1 + 0.001 * (block % 3)));
      t.memory.device_limit_bytes = 1000;
      t.memory.device_peak_bytes = batch == 64 ? 400 : batch == 128 ? 900 : 901;
    }
  }
  const Recommendation r = recommend(b.run, {});
  EXPECT_EQ(r.recommended->configuration.integer("batch_size"), 128) << "900 of 1000 bytes is just allowed";
  EXPECT_EQ(r.largest_fit->configuration.integer("batch_size"), 128);
  for (const Configuration& c : next_to_confirm(b.run, {})) EXPECT_NE(c.integer("batch_size"), 256);
}

TEST(Recommend, NoLargestFitIsClaimedWhereNobodyCountedTheDevicesMemory) {
  const auto run_at = [](std::optional<std::int64_t> peak, std::optional<std::int64_t> memory) {
    RunBuilder b;
    b.run.device.memory_bytes = memory;
    for (std::int64_t batch : {64, 128}) b.confirm(make({.batch = batch}), blocks(1000, 4));
    for (TrialResult& t : b.run.trials) t.memory.device_peak_bytes = peak;
    return b.run;
  };
  EXPECT_TRUE(recommend(run_at(400, 1000), {}).largest_fit);
  EXPECT_FALSE(recommend(run_at(400, std::nullopt), {}).largest_fit) << "the cpu has no memory of its own";
  EXPECT_FALSE(recommend(run_at(std::nullopt, 1000), {}).largest_fit);
  auto own_step = run_at(400, 1000);
  own_step.spec.step_times = {{.step_ms = 85, .batch_size = 64}};
  EXPECT_FALSE(recommend(own_step, {}).largest_fit) << "only the inputs were counted, not the user's model";
}

TEST(Recommend, ASettingThatOnceFailedIsNotRecommended) {
  RunBuilder b;
  b.confirm(make(pooled_2), blocks(1000, 4));
  b.confirm(make(pooled_8), blocks(900, 4));
  b.fail(make(pooled_2), TrialStatus::crashed, "signal 11", "confirm");
  const Recommendation r = recommend(b.run, {});
  EXPECT_EQ(r.recommended->configuration, make(pooled_8));
  EXPECT_THAT(r.warnings, Contains(HasSubstr("signal 11")));
  for (const Configuration& c : next_to_confirm(b.run, {})) EXPECT_NE(c, make(pooled_2));
}

TEST(Recommend, TheVerdictsBatchHasTheVerdictsRow) {
  RunBuilder b;
  b.confirm(make({.batch = 32, .workers = 2, .loader = "pooled"}), {1000, 1001, 999, 1000});
  b.confirm(make({.batch = 32, .workers = 8, .loader = "pooled"}), {1012, 1013, 1011, 1012});
  b.confirm(make({.batch = 64, .workers = 8, .loader = "pooled"}), {1015, 1014, 1016, 1015});
  for (const double within : {0.01, 0.013, 0.02, 0.03}) {
    const Recommendation r = recommend(b.run, {.within = within});
    for (const PerBatch& row : r.per_batch) {
      if (row.batch_size != r.recommended->configuration.integer("batch_size")) continue;
      EXPECT_EQ(row.best.configuration, r.recommended->configuration) << within;
    }
  }
}

TEST(Recommend, ANarrowerLimitTurnsEquivalentsIntoSlowerOnes) {
  RunBuilder b;
  b.confirm(make(pooled_2), blocks(988, 12));
  b.confirm(make(pooled_8), blocks(1000, 12, 1));
  EXPECT_EQ(recommend(b.run, {.within = 0.02}).recommended->configuration, make(pooled_2));
  EXPECT_EQ(recommend(b.run, {.within = 0.005}).recommended->configuration, make(pooled_8));
}

TEST(Recommend, DegenerateRunsGetAClearAnswerAndNoNaN) {
  RunBuilder empty;
  Recommendation r = recommend(empty.run, {});
  EXPECT_FALSE(r.recommended);
  EXPECT_THAT(r.warnings, Contains("no setting was tried"));
  empty.run.notes = {{"interrupted", "stopped after 0 trials: the data changed"}};
  EXPECT_THAT(recommend(empty.run, {}).warnings, Contains("no setting was tried (stopped after 0 trials: the data changed)"));
  EXPECT_TRUE(next_to_confirm(empty.run, {}).empty());

  RunBuilder failed;
  for (int i = 0; i < 3; ++i)
    failed.fail(make({.batch = 64 << i}), TrialStatus::out_of_memory, "out of device memory: asked for 9 bytes");
  r = recommend(failed.run, {});
  EXPECT_FALSE(r.recommended);
  EXPECT_THAT(r.warnings, Contains(HasSubstr("no trial worked: 3 out_of_memory (first: out of device memory")));
  EXPECT_TRUE(next_to_confirm(failed.run, {}).empty());

  RunBuilder single;
  single.explore(make(pooled_2), 1000);
  r = recommend(single.run, {});
  ASSERT_TRUE(r.recommended);
  EXPECT_FALSE(r.decided);
  EXPECT_THAT(r.warnings, Contains(HasSubstr("nothing was measured again")));
  expect_finite(r);

  RunBuilder bare;  // a trial without an interval, a configuration without axes
  bare.explore({}, 10).images_per_s = Interval{10, 10, 10, 0};
  r = recommend(bare.run, {});
  ASSERT_TRUE(r.recommended);
  expect_finite(r);
  expect_finite(recommend(bare.run, {.within = 0}));

  RunBuilder broken;
  broken.explore(make(pooled_2), std::nan(""));
  broken.explore(make(pooled_8), 0);
  r = recommend(broken.run, {});
  EXPECT_FALSE(r.recommended);

  RunBuilder same;
  for (int workers = 0; workers < 6; ++workers) same.confirm(make({.workers = workers}), {1000, 1000, 1000});
  r = recommend(same.run, {});
  EXPECT_EQ(r.recommended->configuration.integer("num_workers"), 0);
  EXPECT_EQ(r.equivalent.size(), 5u);
  expect_finite(r);

  RunBuilder two;  // one block only
  two.confirm(make(pooled_2), {1000});
  two.confirm(make(pooled_8), {1000});
  r = recommend(two.run, {});
  ASSERT_TRUE(r.recommended);
  EXPECT_FALSE(r.decided);
  EXPECT_TRUE(r.equivalent.empty());
  expect_finite(r);
}

TEST(Recommend, AnchorsAndComponentsAreNotCandidates) {
  RunBuilder b;
  b.add(make(pooled_2), 9000, "anchor");
  b.component(Purpose::loader_only, make(pooled_2), 9000);
  b.confirm(make(pooled_8), blocks(1000, 4));
  const Recommendation r = recommend(b.run, {});
  EXPECT_EQ(r.configurations, 1);
  EXPECT_EQ(r.recommended->configuration, make(pooled_8));
}

TEST(Recommend, AThousandSingleTrialsAreJudgedInReasonableTime) {
  RunBuilder b;
  for (int i = 0; i < 1000; ++i)
    b.explore(make({.batch = 16 << (i % 5), .workers = i / 25, .loader = "pooled", .prefetch = i % 5}), 1000 + i % 7);
  const Recommendation r = recommend(b.run, {});
  ASSERT_TRUE(r.recommended);
  EXPECT_LE(next_to_confirm(b.run, {}).size(), 18u);
}
