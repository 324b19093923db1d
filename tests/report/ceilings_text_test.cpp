#include "report/ceilings_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../analyze/run_builder.hpp"

using namespace feedtune;
using namespace feedtune::testing;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// A run that has measured its parts and nothing else.
RunBuilder parts() {
  RunBuilder b;
  b.component(Purpose::loader_only, make({.workers = 1, .loader = "pooled"}), 300);
  b.component(Purpose::loader_only, make({.workers = 8, .loader = "pooled"}), 1500);
  b.component(Purpose::copy_only, make({.batch = 32}), 10'000);
  b.component(Purpose::copy_only, make({.batch = 128}), 20'000);
  b.component(Purpose::step_only, make({.batch = 32}), 2000);
  b.component(Purpose::step_only, make({.batch = 128}), 3000);
  return b;
}

}  // namespace

TEST(CeilingsText, BeforeASweepSaysWhetherTheLoaderIsWorthFixing) {
  const std::string text = ceilings_text(parts().run);
  EXPECT_THAT(text, HasSubstr("1,500  <- binds"));
  EXPECT_THAT(text, HasSubstr("20,000"));
  EXPECT_THAT(text, HasSubstr("3,000"));
  EXPECT_THAT(text, HasSubstr("The loader is worth fixing: it can feed 50 %"));
  EXPECT_THAT(text, HasSubstr("batch_size 128")) << "the best that the step can do bounds every batch size";
  EXPECT_THAT(text, HasSubstr("modelled"));
  EXPECT_THAT(text, Not(HasSubstr("recommended")));
}

TEST(CeilingsText, TheBatchSizeInUseTodayIsTheOneShown) {
  RunBuilder b = parts();
  b.run.spec.current = make({.batch = 32, .workers = 1});
  const std::string text = ceilings_text(b.run);
  EXPECT_THAT(text, HasSubstr("2,000"));
  EXPECT_THAT(text, HasSubstr("batch_size 32"));
}

TEST(CeilingsText, NothingIsSaidOfPartsThatNobodyMeasured) { EXPECT_EQ(ceilings_text(RunBuilder{}.run), ""); }
