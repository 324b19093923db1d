#pragma once
// The program on the fake CUDA runtime, in a folder of its own with a few images.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "build_paths.hpp"
#include "pipeline/make_data.hpp"
#include "run_command.hpp"

namespace feedtune::test {

class CudaProgram : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::filesystem::temp_directory_path() / ("feedtune-cuda-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    MakeDataOptions options;
    options.folder = (folder_ / "images").string();
    options.images = 24;
    options.classes = 2;
    make_data(options);
    ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    ::setenv("FEEDTUNE_CONFIGS", (std::filesystem::path(build_paths::sources) / "configs").c_str(), 1);
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  static Outcome run(const std::string& fake, const std::string& arguments) {
    return run_command("FAKE_CUDA='" + fake + "' LD_LIBRARY_PATH=" + build_paths::fake_cuda + " " + build_paths::program + " " + arguments, folder_);
  }

  static std::string sweep(const std::string& out, const std::string& more = "--budget 12trials --axis batch_size=4 --axis num_workers=0,1 --axis host_memory=pageable,pinned",
                           const std::string& device = "cuda") {
    return "sweep --data " + (folder_ / "images").string() + " --out " + (folder_ / out).string() +
           " --device " + device + " --model mixer-pico --image-size 32 --axis loader=pooled"
           " --trial-time 0.1s --no-anchors " + more;
  }

  static inline std::filesystem::path folder_ = {};
};

}  // namespace feedtune::test
