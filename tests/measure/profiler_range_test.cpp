// Ranges for a profiler: balanced and named while one is attached, nothing at all while none is.
#include "measure/profiler_range.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "build_paths.hpp"
#include "temporary_folder.hpp"

using namespace feedtune;
using feedtune::test::TemporaryFolder;
using testing::ElementsAre;

namespace {

int loaded_libraries() {
  int count = 0;
  dl_iterate_phdr([](dl_phdr_info*, std::size_t, void* data) { return ++*static_cast<int*>(data), 0; }, &count);
  return count;
}

/// NVTX looks for a profiler once a process, so each case takes a process of its own.
void run_ranges(const std::string& profiler, const std::string& record) {
  ::setenv("NVTX_RECORD", record.c_str(), 1);
  if (profiler.empty()) ::unsetenv("NVTX_INJECTION64_PATH");
  else ::setenv("NVTX_INJECTION64_PATH", profiler.c_str(), 1);
  const int before = loaded_libraries();
  std::thread([] {
    name_profiled_thread("a worker with a long name");
    try {
      ProfilerRange range("open");
      range.next("read");
      throw std::runtime_error("lost");
    } catch (const std::runtime_error&) {
    }
  }).join();
  std::fprintf(stderr, "loaded %d", loaded_libraries() - before);
  std::exit(0);
}

/// What was recorded, without the process and the thread.
std::vector<std::string> recorded(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  std::string process, thread, what;
  while (file >> process >> thread && std::getline(file >> std::ws, what)) lines.push_back(what);
  return lines;
}

class ProfilerRanges : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "fast");
    if (std::string(build_paths::nvtx_recorder).empty()) GTEST_SKIP() << "this build has no NVTX";
  }
  const TemporaryFolder folder_;
  const std::string record_ = folder_ / "record";
};

}  // namespace

TEST_F(ProfilerRanges, WithoutAProfilerNothingIsLoadedNorWritten) {
  EXPECT_EXIT(run_ranges("", record_), testing::ExitedWithCode(0), "^loaded 0$");
  EXPECT_EXIT(run_ranges("/no/such/profiler.so", record_), testing::ExitedWithCode(0), "^loaded 0$");
  EXPECT_FALSE(std::filesystem::exists(record_));
}

TEST_F(ProfilerRanges, UnderAProfilerEachRangeEndsAlsoByAnException) {
  EXPECT_EXIT(run_ranges(build_paths::nvtx_recorder, record_), testing::ExitedWithCode(0), "^loaded 1$");
  EXPECT_THAT(recorded(record_), ElementsAre("thread a worker with a long name", "push open", "pop", "push read", "pop"));
}
