// A trial whose step time never settled is reported, not ranked: a cold trial must not win over warm ones, nor lose to them.

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/ceilings.hpp"
#include "analyze/recommend.hpp"
#include "analyze/run_builder.hpp"

using namespace feedtune;
using namespace feedtune::testing;

namespace {

TrialResult& unsettled(RunBuilder& b, const Configuration& c, double images_per_s) {
  TrialResult& t = b.explore(c, images_per_s);  // as a trial leaves it: with what it measured
  t.status = TrialStatus::no_steady_state;
  t.reason = "step time still falling: -40.0 % since step 12 (p = 1e-06)";
  return t;
}

}  // namespace

TEST(Unsettled, IsNotRankedHoweverFastItLooked) {
  RunBuilder b;
  const Configuration fast = make({.workers = 8}), settled = make({.workers = 4});
  unsettled(b, fast, 5000);
  b.explore(settled, 1000);
  b.explore(make({.workers = 2}), 500);
  const Recommendation r = recommend(b.run, {});
  ASSERT_TRUE(r.best.has_value());
  EXPECT_EQ(r.best->configuration, settled);
  EXPECT_EQ(r.recommended->configuration, settled);
  for (const Candidate& c : r.equivalent) EXPECT_NE(c.configuration, fast);
}

TEST(Unsettled, IsNamedWithItsReason) {
  RunBuilder b;
  unsettled(b, make({.workers = 8}), 5000);
  b.explore(make({.workers = 4}), 1000);
  const Recommendation r = recommend(b.run, {});
  EXPECT_TRUE(std::any_of(r.warnings.begin(), r.warnings.end(), [](const std::string& text) {
    return text.find("1 no_steady_state") != std::string::npos && text.find("still falling") != std::string::npos;
  }));
}

TEST(Unsettled, GivesNoCeiling) {
  RunBuilder b;
  const Configuration c = make({.workers = 4});
  b.component(Purpose::loader_only, c, 800);
  b.component(Purpose::loader_only, c, 9000).status = TrialStatus::no_steady_state;
  EXPECT_EQ(find_ceilings(b.run, c).loader, 800);
}
