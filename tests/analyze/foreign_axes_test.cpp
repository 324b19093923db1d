// Runs of somebody else's loader: axes that feedtune has no opinion on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/recommend.hpp"
#include "analyze/roles.hpp"
#include "analyze/run_builder.hpp"

using namespace feedtune;
using namespace feedtune::testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

Configuration flux(std::int64_t depth, const std::string& kind) { return Configuration({{"depth", depth}, {"flux", kind}}); }

/// Depth 4 gives 200 images/s, depth 1 100; confirmed.
RunBuilder foreign_run() {
  RunBuilder builder;
  for (const std::string kind : {"high", "low"}) {
    builder.explore(flux(1, kind), 100);
    builder.explore(flux(4, kind), kind == "high" ? 200 : 150);
    builder.confirm(flux(1, kind), blocks(100, 5));
    builder.confirm(flux(4, kind), blocks(kind == "high" ? 200 : 150, 5));
  }
  return builder;
}

}  // namespace

TEST(ForeignAxes, NoneOfThemIsFeedtunesBaselineAndNothingIsSaidOfPyTorch) {
  const RunBuilder builder = foreign_run();
  const Recommendation r = recommend(builder.run, {});
  EXPECT_EQ(r.recommended->configuration, flux(4, "high"));
  EXPECT_FALSE(r.baseline) << "any of them would pass for it, lacking every axis that tells";
  EXPECT_TRUE(r.gains.empty());
  EXPECT_THAT(r.warnings, Not(Contains(HasSubstr("PyTorch"))));
  EXPECT_THAT(r.warnings, Contains(HasSubstr("the baseline was not measured")));
}

TEST(ForeignAxes, AGivenBaselineIsWhatTheGainIsOver) {
  RunBuilder builder = foreign_run();
  builder.run.spec.baseline = flux(1, "low");
  const Recommendation r = recommend(builder.run, {});
  ASSERT_TRUE(r.baseline);
  EXPECT_EQ(r.baseline->configuration, flux(1, "low"));
  ASSERT_EQ(r.gains.size(), 1u);
  EXPECT_NEAR(r.gains.front().ratio.mean, 2, 0.01);
}

TEST(ForeignAxes, AGivenBaselineIsConfirmedWithTheFinalists) {
  RunBuilder builder;
  for (const std::string kind : {"high", "low"}) {
    builder.explore(flux(1, kind), 100);
    builder.explore(flux(4, kind), 200);
  }
  builder.run.spec.baseline = flux(1, "low");
  EXPECT_THAT(next_to_confirm(builder.run, {}), Contains(flux(1, "low")));
  builder.run.spec.baseline.reset();
  EXPECT_THAT(next_to_confirm(builder.run, {}), Not(Contains(flux(1, "low"))));
}
