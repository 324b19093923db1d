// A short sweep by the program itself: what a user gets first on a machine with a GPU.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "cli/files.hpp"
#include "store/run_folder.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

/// Holds no GPU itself, since one in exclusive mode (EXCLUSIVE_PROCESS) serves one process at a time, and its children need it; for the same
/// reason it runs before the other suites of this program (CMakeLists.txt).
class GpuSweep : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string row = cuda_row(); row.find(" yes ") == std::string::npos) GTEST_SKIP() << "no GPU to test on: " << row;
    folder_ = fs::temp_directory_path() / ("feedtune-gpu-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  /// What `feedtune devices` says of cuda.
  static std::string cuda_row() {
    std::string row;
    FILE* const said = ::popen(((fs::path(program_path()).parent_path() / "feedtune").string() + " devices").c_str(), "r");
    for (char line[1024]; said != nullptr && std::fgets(line, sizeof line, said) != nullptr;)
      if (std::string(line).starts_with("cuda ")) row = line;
    if (said != nullptr) ::pclose(said);
    return row;
  }

  /// Exit code of the program that lies beside this one.
  static int feedtune(const std::string& arguments) {
    const std::string command = (fs::path(program_path()).parent_path() / "feedtune").string() + " " + arguments;
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  fs::path folder_;
};

TEST_F(GpuSweep, AResultIsValidAndItsPhasesAreWithinTheStep) {
  const std::string data = (folder_ / "images").string(), run = (folder_ / "run").string();
  ASSERT_EQ(feedtune("make-data --quiet --images 32 " + data), 0);
  ASSERT_EQ(feedtune("sweep --quiet --device cuda --data " + data + " --out " + run +
                     " --model mixer-pico --image-size 64 --axis batch_size=8 --axis num_workers=0,1 --axis host_memory=pageable,pinned"
                     " --axis loader=pooled --axis precision=fp16 --trial-time 0.2s --budget 12trials --no-anchors >" + run + ".txt"), 0);
  EXPECT_EQ(feedtune("validate " + run), 0);

  int measured = 0;
  for (const auto& trial : load_run(run).trials) {
    EXPECT_EQ(trial.status, TrialStatus::ok) << trial.reason;
    if (trial.purpose != Purpose::trial || trial.status != TrialStatus::ok) continue;
    ++measured;
    EXPECT_FALSE(trial.modelled);
    double computed_ms = 0;
    for (const char* phase : {"forward", "backward", "update"}) {
      ASSERT_TRUE(trial.phases.contains(phase)) << phase;
      EXPECT_GT(trial.phases.at(phase).mean, 0) << phase;
      computed_ms += trial.phases.at(phase).mean;
    }
    EXPECT_GT(trial.phases.at("h2d").mean, 0);
    // They follow each other on one stream; what is left is waiting. Event times are rounded to half a microsecond.
    EXPECT_LT(computed_ms, trial.phases.at("step").mean + 0.002) << trial.configuration.key();
  }
  EXPECT_GE(measured, 4);
}

}  // namespace
}  // namespace feedtune
