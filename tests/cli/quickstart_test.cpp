// scripts/quickstart.sh with a program that only writes down how it was called: what the script passes on, and what it ends with.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "build_paths.hpp"

namespace fs = std::filesystem;

namespace {

class QuickStart : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("feedtune-quickstart-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "repo" / "scripts");
    fs::create_directories(folder_ / "repo" / "build");
    fs::create_directories(folder_ / "elsewhere" / "my photos");
    fs::copy_file(fs::path(feedtune::build_paths::sources) / "scripts" / "quickstart.sh", folder_ / "repo" / "scripts" / "quickstart.sh");
    const fs::path program = folder_ / "repo" / "build" / "feedtune";
    // Exit code by device, from $cpu_code and $virtual_code.
    std::ofstream(program) << "#!/bin/sh\n"
                              "echo \"$@\" >>" << log().string() << "\n"
                              "case \"$*\" in\n"
                              "  *'--device cpu'*) exit ${cpu_code:-0} ;;\n"
                              "  *'--device virtual'*) exit ${virtual_code:-0} ;;\n"
                              "esac\n";
    fs::permissions(program, fs::perms::owner_all);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path log() const { return folder_ / "calls"; }

  /// Exit code of the script, called from another folder.
  int run(const std::string& variables, const std::string& arguments) const {
    const std::string command =
        "cd " + (folder_ / "elsewhere").string() + " && " + variables + " ../repo/scripts/quickstart.sh " + arguments + " >/dev/null 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string calls() const {
    std::ostringstream text;
    text << std::ifstream(log()).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

}  // namespace

TEST_F(QuickStart, ARelativeDataFolderIsTheOneWhereTheUserStands) {
  EXPECT_EQ(run("", "--data 'my photos'"), 0);
  EXPECT_NE(calls().find("--data " + (folder_ / "elsewhere" / "my photos").string() + " --device cpu"), std::string::npos) << calls();
  EXPECT_EQ(calls().find("make-data"), std::string::npos);
}

TEST_F(QuickStart, AnAbsoluteOneIsTakenAsItIs) {
  EXPECT_EQ(run("", "--data /nowhere/photos"), 0);
  EXPECT_NE(calls().find("--data /nowhere/photos --device cpu"), std::string::npos) << calls();
}

TEST_F(QuickStart, ASweepThatFailsKeepsItsCodeAndDoesNotCostTheOtherDeviceItsSweep) {
  EXPECT_EQ(run("cpu_code=3", "--data /d"), 3);
  EXPECT_NE(calls().find("--device virtual:rtx-4090"), std::string::npos) << calls();
  EXPECT_EQ(run("virtual_code=6", "--data /d"), 6);
  EXPECT_EQ(run("cpu_code=3 virtual_code=5", "--data /d"), 3);
}

TEST_F(QuickStart, FailedTrialsStillHaveAnAnswer) { EXPECT_EQ(run("cpu_code=7", "--data /d"), 0); }

TEST_F(QuickStart, ASignalEndsItAtOnceWithItsCode) {
  EXPECT_EQ(run("cpu_code=130", "--data /d"), 130);
  EXPECT_EQ(calls().find("--device virtual"), std::string::npos) << calls();
}

TEST_F(QuickStart, WithoutDataASampleIsMade) {
  EXPECT_EQ(run("", ""), 0);
  EXPECT_TRUE(calls().starts_with("make-data build/sample-data")) << calls();
  EXPECT_EQ(run("", "--data"), 2);
}
