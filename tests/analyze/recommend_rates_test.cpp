// images/s of a candidate, and how sure it is.

#include <gtest/gtest.h>

#include <cmath>

#include "analyze/recommend.hpp"
#include "run_builder.hpp"

using namespace feedtune;
using namespace feedtune::testing;

TEST(Recommend, TheIntervalIsStudentsOverTheBlocks) {
  RunBuilder b;
  b.confirm(make(pooled_2), {1000, 1010, 990, 1005});
  const Recommendation r = recommend(b.run, {});
  // mean log and 3.182 (t of 3 degrees of freedom at 97.5 %) standard errors, by hand
  double mean = 0, squares = 0;
  for (double v : {1000.0, 1010.0, 990.0, 1005.0}) mean += std::log(v) / 4;
  for (double v : {1000.0, 1010.0, 990.0, 1005.0}) squares += std::pow(std::log(v) - mean, 2);
  const double half = 3.182446 * std::sqrt(squares / 3 / 4);
  EXPECT_NEAR(r.recommended->images_per_s.mean, std::exp(mean), 1e-6);
  EXPECT_NEAR(r.recommended->images_per_s.low, std::exp(mean - half), 1e-3);
  EXPECT_NEAR(r.recommended->images_per_s.high, std::exp(mean + half), 1e-3);
}

TEST(Recommend, RatesStandToEachOtherAsTheirGainsSay) {
  // The machine is a third slower in the last two blocks, which the baseline was not in.
  RunBuilder b;
  b.confirm(make(pooled_2), {1000, 1010, 990, 700, 690});
  b.confirm(make(pooled_8), {998, 1012, 991, 702, 689});
  b.confirm(baseline_at(64), {500, 505, 495});
  const Recommendation r = recommend(b.run, {});
  ASSERT_TRUE(r.recommended && r.baseline);
  ASSERT_FALSE(r.gains.empty());
  EXPECT_NEAR(r.gains[0].ratio.mean, 2, 0.01);
  EXPECT_NEAR(r.recommended->images_per_s.mean / r.baseline->images_per_s.mean, r.gains[0].ratio.mean, 0.02);
  // The geometric mean of its own blocks, and a machine that wanders by a third is not known to a few per cent.
  EXPECT_NEAR(r.recommended->images_per_s.mean, std::pow(1000.0 * 1010 * 990 * 700 * 690, 0.2), 1);
  EXPECT_GT(r.recommended->images_per_s.high / r.recommended->images_per_s.mean, 1.15);
  EXPECT_LT(r.recommended->images_per_s.high / r.recommended->images_per_s.mean, 1.5);
}

TEST(Recommend, TwoBlocksBesideManyBorrowTheirNoise) {
  RunBuilder b;
  b.confirm(make(pooled_2), {1000, 1010, 990, 1005, 995, 1000});
  b.confirm(make(pooled_8), {1001, 1008, 992, 1004, 996, 999});
  b.confirm(baseline_at(64), {500, 560});  // a t interval of these two alone reaches from 250 to 1,100
  const Recommendation r = recommend(b.run, {});
  ASSERT_TRUE(r.baseline);
  EXPECT_GT(r.baseline->images_per_s.low, 400);
  EXPECT_LT(r.baseline->images_per_s.high, 700);
}
