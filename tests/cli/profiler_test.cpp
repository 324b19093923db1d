// A profiler that is attached to a sweep sees every phase of every thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "build_paths.hpp"
#include "pipeline/make_data.hpp"
#include "temporary_folder.hpp"

using namespace feedtune;

namespace {

/// What one thread did, in order.
struct Thread {
  std::string name;
  std::set<std::string> ranges;
  std::vector<std::string> open;
  std::set<std::string> nested;  ///< "outer/inner"
  bool balanced = true;
};

/// By process and thread.
std::map<std::string, Thread> threads_of(const std::string& record) {
  std::map<std::string, Thread> threads;
  std::ifstream file(record);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string process, number, what, name;
    words >> process >> number >> what >> name;
    Thread& thread = threads[process + ' ' + number];
    if (what == "thread") {
      thread.name = name;
    } else if (what == "push") {
      if (!thread.open.empty()) thread.nested.insert(thread.open.back() + '/' + name);
      thread.ranges.insert(name);
      thread.open.push_back(name);
    } else if (thread.open.empty()) {
      thread.balanced = false;
    } else {
      thread.open.pop_back();
    }
  }
  return threads;
}

class Profiler : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(build_paths::nvtx_recorder).empty()) GTEST_SKIP() << "this build has no NVTX";
    MakeDataOptions options;
    options.folder = folder_ / "images";
    options.images = 24;
    options.classes = 2;
    make_data(options);
  }

  /// One configuration of a loader, with `workers`.
  std::map<std::string, Thread> sweep(int workers) {
    const std::string record = folder_ / ("record" + std::to_string(workers)), out = folder_ / ("run" + std::to_string(workers));
    const std::string command = std::string("NVTX_INJECTION64_PATH=") + build_paths::nvtx_recorder + " NVTX_RECORD=" + record +
                                " FEEDTUNE_CONFIGS=" + build_paths::sources + "/configs XDG_CACHE_HOME=" + (folder_ / "cache") + " " +
                                build_paths::program + " sweep --data " + (folder_ / "images") + " --out " + out +
                                " --device virtual:t4 --model mixer-pico --image-size 32 --axis batch_size=4 --axis host_memory=pinned"
                                " --axis loader=batch_per_worker --axis num_workers=" + std::to_string(workers) +
                                " --trial-time 0.1s --budget 1trials --no-anchors --quiet >" + out + ".log 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return threads_of(record);
  }

  const test::TemporaryFolder folder_;
};

}  // namespace

TEST_F(Profiler, EveryPhaseOfTheTrainingThreadAndTheWorkersIsARangeThatEnds) {
  const auto threads = sweep(2);
  std::map<std::string, std::set<std::string>> by_name;
  for (const auto& [number, thread] : threads) {
    EXPECT_TRUE(thread.balanced) << thread.name;
    EXPECT_THAT(thread.open, testing::IsEmpty()) << thread.name;
    by_name[thread.name].insert(thread.ranges.begin(), thread.ranges.end());
    EXPECT_THAT(thread.nested, testing::IsEmpty()) << thread.name << ": with workers no phase lies in another";
  }
  EXPECT_THAT(by_name["ft-train"], testing::UnorderedElementsAre("data_wait", "h2d", "forward", "backward", "update"));
  EXPECT_THAT(by_name["ft-worker-1"], testing::UnorderedElementsAre("open", "read", "decode", "transform", "collate"));
  EXPECT_THAT(by_name["ft-pin"], testing::UnorderedElementsAre("pin"));
}

TEST_F(Profiler, WithoutWorkersTheLoadLiesInsideTheDataWait) {
  std::set<std::string> nested;
  for (const auto& [number, thread] : sweep(0))
    if (thread.name == "ft-train") nested.insert(thread.nested.begin(), thread.nested.end());
  std::vector<std::string> expected;
  for (const char* phase : {"open", "read", "decode", "transform", "collate", "pin"}) expected.push_back(std::string("data_wait/") + phase);
  EXPECT_THAT(nested, testing::UnorderedElementsAreArray(expected));
}
