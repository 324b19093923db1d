#include "trial/page_warming.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace feedtune;
namespace fs = std::filesystem;

namespace {

class PageWarming : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("feedtune-warming-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    for (int i = 0; i < 4; ++i) std::ofstream(folder_ / ("f" + std::to_string(i))) << std::string(200'000, 'x');
    list_ = ImageList::from_path(folder_.string());
    drop_page_cache(*list_);
    const CacheShare share = cache_resident_share(*list_);
    if (!share.value || *share.value >= warm_enough) GTEST_SKIP() << "a file system whose page cache can't be seen or dropped";
  }
  void TearDown() override { fs::remove_all(folder_); }

  CacheShare prepare(CachePolicy policy, const WarmingLimits& limits) {
    phases_.clear();
    return prepare_page_cache(*list_, policy, limits, clock_, [this](const char* name) { phases_.emplace_back(name); });
  }

  fs::path folder_;
  std::optional<ImageList> list_;
  ManualClock clock_;
  std::vector<std::string> phases_;
};

}  // namespace

TEST_F(PageWarming, DataThatFitsInMemoryIsReadOnce) {
  const WarmingLimits limits{.memory_bytes = 4 * 200'000};
  EXPECT_EQ(prepare(CachePolicy::warm, limits).value, 1.0);
  EXPECT_EQ(phases_, std::vector<std::string>{"warming the page cache"});
  EXPECT_EQ(prepare(CachePolicy::warm, limits).value, 1.0);
  EXPECT_TRUE(phases_.empty()) << "it was warm";
}

TEST_F(PageWarming, DataLargerThanMemoryCostsNoTrialItsHalfMinute) {
  const CacheShare share = prepare(CachePolicy::warm, {.memory_bytes = 4 * 200'000 - 1});
  EXPECT_TRUE(phases_.empty());
  ASSERT_TRUE(share.value.has_value());
  EXPECT_LT(*share.value, warm_enough);
}

TEST_F(PageWarming, AsIsTouchesNothingAndColdIsCold) {
  EXPECT_LT(prepare(CachePolicy::as_is, {}).value, warm_enough);
  EXPECT_TRUE(phases_.empty());
  EXPECT_EQ(prepare(CachePolicy::warm, {}).value, 1.0);
  EXPECT_LT(prepare(CachePolicy::cold, {}).value, warm_enough);
  EXPECT_EQ(phases_, std::vector<std::string>{"emptying the page cache"});
}
