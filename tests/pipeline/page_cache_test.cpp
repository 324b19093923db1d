// How much of the data is in memory: looking must not change it, or a cold run is a warm one.

#include "pipeline/page_cache.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "image_jpeg_fixture.hpp"
#include "process/descriptor.hpp"

namespace feedtune {
namespace {

using test::TemporaryFolder;

const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

/// What mincore says, which is right for files of our own: an account that shares nothing with what is tested.
double share_by_mincore(const std::string& path) {
  const auto bytes = static_cast<std::size_t>(std::filesystem::file_size(path));
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  void* map = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  std::vector<unsigned char> resident((bytes + page - 1) / page);
  EXPECT_EQ(::mincore(map, bytes, resident.data()), 0);
  ::munmap(map, bytes);
  const auto count = std::count_if(resident.begin(), resident.end(), [](unsigned char byte) { return (byte & 1) != 0; });
  return static_cast<double>(count) / static_cast<double>(resident.size());
}

bool cachestat_answers(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::uint64_t range[2] = {};
  std::uint64_t counts[5] = {};
  return ::syscall(451, file.get(), range, counts, 0) == 0;
}

DataFiles files_of(const std::vector<std::string>& paths) {
  DataFiles files;
  files.count = paths.size();
  files.open = [&paths](std::size_t k) { return ::open(paths[k].c_str(), O_RDONLY | O_CLOEXEC); };
  return files;
}

class PageCache : public ::testing::TestWithParam<ResidencyLook> {
 protected:
  void make(std::size_t bytes) {
    folder_.write(std::to_string(paths_.size()), std::string(bytes, 'x'));
    paths_.push_back((folder_.path() / std::to_string(paths_.size())).string());
  }
  /// False where the file system keeps what it is asked to drop (tmpfs).
  bool drop() {
    EXPECT_EQ(drop_page_cache(files_of(paths_)).failed, 0);
    return std::all_of(paths_.begin(), paths_.end(), [](const std::string& path) { return share_by_mincore(path) == 0; });
  }
  std::optional<double> look() { return cache_resident_share(files_of(paths_), GetParam()).value; }

  TemporaryFolder folder_;
  std::vector<std::string> paths_;
};

INSTANTIATE_TEST_SUITE_P(EveryLook, PageCache, ::testing::Values(ResidencyLook::best, ResidencyLook::reads),
                         [](const auto& of) { return of.param == ResidencyLook::best ? "best" : "reads"; });

TEST_P(PageCache, WhatIsWarmAndWhatIsColdIsToldApartEveryTime) {
  for (int k = 0; k < 4; ++k) make(10 * page - 17);
  int told = 0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const bool dropped = drop();
    const auto cold = look();
    if (repeat == 0 && !dropped) GTEST_SKIP() << "this file system keeps what it is asked to drop";
    if (repeat == 0 && !cold) GTEST_SKIP() << "this file system can't tell";
    if (!dropped) continue;  // something else had a page in its hands for a moment
    ++told;
    ASSERT_LT(cold.value(), 0.3) << repeat;
    warm_page_cache(files_of(paths_), {});
    // A read that is interrupted for longer than the disk would take counts as one from the disk.
    ASSERT_GE(look().value(), GetParam() == ResidencyLook::best && cachestat_answers(paths_[0]) ? 1 : 0.9) << repeat;
  }
  EXPECT_GT(told, 50);
}

TEST_P(PageCache, LookingBringsNoMoreThanThePagesAskedFor) {
  const std::size_t pages = 16 * 1024;
  make(pages * page);
  if (!drop()) GTEST_SKIP() << "this file system keeps what it is asked to drop";
  const auto share = look();
  if (!share) GTEST_SKIP() << "this file system can't tell";
  EXPECT_LT(*share, 0.3);
  // One page where cachestat answers; where it doesn't, reads of 4,096 take its place.
  EXPECT_LE(share_by_mincore(paths_[0]), GetParam() == ResidencyLook::best && cachestat_answers(paths_[0]) ? 1.0 / pages : 0.25);
}

TEST_P(PageCache, AHalfIsAHalf) {
  make(16 << 20);
  if (!drop()) GTEST_SKIP() << "this file system keeps what it is asked to drop";
  {
    const Descriptor file(::open(paths_[0].c_str(), O_RDONLY | O_CLOEXEC));
    ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_RANDOM);
    std::string half(8 << 20, 0);
    ASSERT_EQ(::pread(file.get(), half.data(), half.size(), 4 << 20), static_cast<ssize_t>(half.size()));
  }
  ASSERT_NEAR(share_by_mincore(paths_[0]), 0.5, 0.01) << "the test's own read";
  const auto share = look();
  if (!share) GTEST_SKIP() << "this file system can't tell";
  EXPECT_NEAR(*share, 0.5, 0.15);
}

TEST_P(PageCache, AFileWeighsByItsSize) {
  make(8 << 20);
  for (int k = 0; k < 8; ++k) make(page);
  if (!drop()) GTEST_SKIP() << "this file system keeps what it is asked to drop";
  const Descriptor file(::open(paths_[0].c_str(), O_RDONLY | O_CLOEXEC));
  std::string whole(8 << 20, 0);
  ASSERT_EQ(::pread(file.get(), whole.data(), whole.size(), 0), static_cast<ssize_t>(whole.size()));
  const auto share = look();
  if (!share) GTEST_SKIP() << "this file system can't tell";
  EXPECT_GT(*share, 0.99);
}

TEST(PageCacheSweep, CountsFilesAndBytesAndStopsWhenTold) {
  TemporaryFolder folder;
  for (int i = 0; i < 8; ++i) folder.write("f" + std::to_string(i), std::string(300'000, static_cast<char>('a' + i)));
  const ImageList list = ImageList::from_path(folder.text());
  const CacheSweep warmed = warm_page_cache(list, {});
  EXPECT_EQ(warmed.files, 8);
  EXPECT_EQ(warmed.bytes, 8 * 300'000);
  const CacheSweep dropped = drop_page_cache(list);
  EXPECT_EQ(dropped.files, 8);
  EXPECT_EQ(dropped.failed, 0);
  EXPECT_EQ(warm_page_cache(list, [] { return true; }).files, 0);
}

}  // namespace
}  // namespace feedtune
