// Files that are asked for ahead are in memory when their turn comes, and asking costs little where they are there anyway.

#include "pipeline/read_ahead.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "image_jpeg_fixture.hpp"
#include "pipeline/page_cache.hpp"

namespace feedtune {
namespace {

class ReadAheadTest : public ::testing::Test {
 protected:
  ReadAheadTest() {
    for (int k = 0; k < 40; ++k) folder_.write(std::to_string(100 + k) + ".jpg", std::string(300'000, 'x'));
    list_.emplace(ImageList::from_path(folder_.text()));
  }
  /// False where this file system keeps what it is asked to drop, or can't tell.
  bool drop() {
    drop_page_cache(*list_);
    return cache_resident_share(*list_).value.value_or(1) < 0.1;
  }
  double resident() { return cache_resident_share(*list_).value.value_or(0); }

  test::TemporaryFolder folder_;
  std::optional<ImageList> list_;
};

TEST_F(ReadAheadTest, ColdFilesAreInMemorySoonAfterTheyWereAskedFor) {
  if (!drop()) GTEST_SKIP() << "this file system keeps what it is asked to drop";
  ReadAhead ahead(*list_);
  for (std::size_t k = 0; k < list_->size(); ++k) ahead.expect(k);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  // Of the first few calls one in eight looks; the first miss makes it sure.
  while (resident() < 0.75 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_GE(resident(), 0.75);
}

TEST_F(ReadAheadTest, AFileThatIsGoneIsLeftToItsReader) {
  ReadAhead ahead(*list_);
  std::filesystem::remove(folder_.path() / "100.jpg");
  for (int k = 0; k < 100; ++k) ahead.expect(0);
}

}  // namespace
}  // namespace feedtune
