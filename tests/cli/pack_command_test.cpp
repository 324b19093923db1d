// `feedtune pack` as a user meets it: what it writes can be swept, and every mistake is one line with its place.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "build_paths.hpp"
#include "core/utf8.hpp"
#include "json/run_json.hpp"
#include "pipeline/make_data.hpp"
#include "run_command.hpp"
#include "store/run_folder.hpp"

using namespace feedtune;
using test::Outcome;
using test::read;
namespace fs = std::filesystem;

namespace {

class PackCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("feedtune-pack-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    MakeDataOptions options;
    options.folder = in("images");
    options.images = 12;
    options.classes = 2;
    make_data(options);
    ::setenv("FEEDTUNE_CONFIGS", (fs::path(build_paths::sources) / "configs").c_str(), 1);
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static std::string in(const std::string& name) { return (folder_ / name).string(); }

  static Outcome run(const std::string& arguments) { return test::run_command(std::string(build_paths::program) + " " + arguments, folder_); }

  static std::string sweep(const std::string& data, const std::string& out, const std::string& more) {
    return "sweep --data " + in(data) + " --out " + in(out) +
           " --device virtual:t4 --model mixer-pico --image-size 32 --axis batch_size=4 --axis num_workers=1 --axis loader=pooled"
           " --axis host_memory=pinned --trial-time 0.1s --budget 8trials --no-anchors " + more;
  }

  static fs::path folder_;
};

fs::path PackCommand::folder_;

std::set<std::string> storages(const feedtune::Run& run) {
  std::set<std::string> values;
  for (const auto& trial : run.trials) {
    EXPECT_TRUE(trial.status == TrialStatus::ok || trial.status == TrialStatus::too_short) << trial.reason;
    if (const auto storage = trial.configuration.text("storage"); storage && trial.purpose == Purpose::trial) values.insert(*storage);
  }
  return values;
}

}  // namespace

TEST_F(PackCommand, WhatItWritesIsSweptBesideTheFilesAndAsTheSameData) {
  const Outcome packed = run("pack " + in("packed") + " --data " + in("images"));
  ASSERT_EQ(packed.code, 0) << packed.err;
  EXPECT_NE(packed.out.find("12 images as jpeg in 1 shard"), std::string::npos) << packed.out;
  EXPECT_EQ(packed.err, "12 of 12 images\n");
  EXPECT_EQ(run("validate " + in("packed")).code, 0);

  ASSERT_EQ(run(sweep("images", "files-run", "")).code, 0);
  const Outcome both = run(sweep("packed", "both-run", "--axis storage=files,packed"));
  ASSERT_EQ(both.code, 0) << both.err;
  const feedtune::Run files = load_run(in("files-run")), run_of_both = load_run(in("both-run"));
  EXPECT_EQ(storages(files), (std::set<std::string>{"files"}));
  EXPECT_EQ(storages(run_of_both), (std::set<std::string>{"files", "packed"}));
  EXPECT_EQ(run_of_both.data.digest, files.data.digest);
  EXPECT_EQ(run_of_both.data.images, 12);

  const Outcome alone = run(sweep("packed", "packed-run", ""));
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(storages(load_run(in("packed-run"))), (std::set<std::string>{"packed"})) << "a packed folder is read as one";
}

TEST_F(PackCommand, SmallerPicturesAndPixelsCanBeSweptToo) {
  for (const std::string kind : {"resized --side 64 --quality 80", "raw --side 64", "raw --side full"}) {
    fs::remove_all(in("other"));
    const Outcome packed = run("pack " + in("other") + " --data " + in("images") + " --quiet --kind " + kind);
    ASSERT_EQ(packed.code, 0) << packed.err;
    EXPECT_EQ(packed.err, "");
    fs::remove_all(in("other-run"));
    const Outcome swept = run(sweep("other", "other-run", ""));
    ASSERT_EQ(swept.code, 0) << kind << "\n" << swept.err;
    EXPECT_EQ(storages(load_run(in("other-run"))), (std::set<std::string>{"packed"}));
  }
}

TEST_F(PackCommand, EveryMistakeIsOneLineWithItsPlaceAndItsCode) {
  ASSERT_EQ(run("pack " + in("good") + " --data " + in("images")).code, 0);
  ASSERT_EQ(run("pack " + in("cut") + " --data " + in("images")).code, 0);
  fs::resize_file(in("cut/shard-00000"), fs::file_size(in("cut/shard-00000")) - 100);
  ASSERT_EQ(run("pack " + in("flipped") + " --data " + in("images")).code, 0);
  std::fstream(in("flipped/shard-00000"), std::ios::in | std::ios::out | std::ios::binary).seekp(5000).put('\x5a').put('\x3c');
  fs::create_directories(in("begun"));
  std::ofstream(in("begun/pack.unfinished"));
  const std::string data = " --data " + in("images");
  struct Case {
    std::string arguments;
    int code;
    std::string says;
  };
  for (const Case& c : {
           Case{"pack", 2, "folder"},
           Case{"pack " + in("new"), 2, "--data"},
           Case{"pack " + in("new") + data + " --kind tar", 2, "tar"},
           Case{"pack " + in("new") + data + " --side 256", 2, "--kind resized"},
           Case{"pack " + in("new") + data + " --kind raw --quality 90", 2, "--quality"},
           Case{"pack " + in("new") + data + " --kind raw --side 0", 2, "from 1 to 65500"},
           Case{"pack " + in("new") + data + " --kind resized --side big", 2, "got 'big'"},
           Case{"pack " + in("new") + data + " --kind resized --quality 101", 2, "from 1 to 100"},
           Case{"pack " + in("new") + " --data " + in("missing"), 3, "missing"},
           Case{"pack " + in("new") + " --data " + in("good"), 3, "packed folder"},
           Case{"pack " + in("good") + data, 3, "holds a pack already"},
           Case{"pack " + in("images/inside") + data, 3, "inside the data"},
           Case{"sweep --device cpu" + data + " --axis storage=packed", 3, "feedtune pack DIR"},
           Case{"sweep --device cpu --data " + in("cut"), 3, "shard-00000: cut off"},
           Case{"sweep --device cpu --data " + in("begun"), 3, "unfinished pack"},
           Case{"validate " + in("cut"), 3, "shard-00000: cut off"},
           Case{"validate " + in("begun"), 3, "unfinished pack"},
           Case{"validate " + in("good/shard-00000"), 3, "shard-00000: a part of a packed folder; give the folder"},
           Case{"validate " + in("good/pack.index"), 3, "pack.index: a part of a packed folder; give the folder"},
           Case{"sweep --device cpu --data " + in("good/shard-00000"), 3, "a part of a packed folder; give the folder"},
           Case{"validate " + in("flipped"), 3, "its bytes are not those that were packed"},
       }) {
    const Outcome outcome = run(c.arguments);
    EXPECT_EQ(outcome.code, c.code) << c.arguments << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find(c.says), std::string::npos) << c.arguments << "\n" << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "") << c.arguments;
  }
  EXPECT_FALSE(fs::exists(in("new")));
}

/// One line of text without a character that a terminal obeys.
void expect_harmless(const std::string& text) {
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_TRUE(is_utf8(text)) << text;
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
}

TEST_F(PackCommand, NoNameOfAFileOrFolderReachesTheTerminalAsItIs) {
  const std::string hostile = "x\x1b[2J\xff\nfeedtune: fine";
  const fs::path images = in("hostile-images/a");
  fs::create_directories(images);
  fs::copy(in("images"), in("hostile-images"), fs::copy_options::recursive);
  std::ofstream(images / (hostile + ".jpg")) << "no image";
  const auto quoted = [](const std::string& text) { return "'" + text + "'"; };
  const std::string pack_folder = in(hostile + "-pack");
  const Outcome packed = run("pack " + quoted(pack_folder) + " --quiet --kind raw --side 32 --data " + in("hostile-images"));
  EXPECT_EQ(packed.code, 0) << packed.err;
  expect_harmless(packed.out);
  expect_harmless(packed.err);
  EXPECT_NE(packed.err.find("x [2J"), std::string::npos) << packed.err;

  const Outcome valid = run("validate " + quoted(pack_folder));
  EXPECT_EQ(valid.code, 0) << valid.err;
  expect_harmless(valid.out);
  std::fstream(fs::path(pack_folder) / "shard-00000", std::ios::in | std::ios::out | std::ios::binary).seekp(64).put('?').put('?');
  const Outcome damaged = run("validate " + quoted(pack_folder));
  EXPECT_EQ(damaged.code, 3);
  expect_harmless(damaged.err);
  for (const std::string command : {"validate ", "recommend ", "pack new --data ", "sweep --device cpu --data ", "nonsense ", "sweep --axis "})
    expect_harmless(run(command + quoted(in(hostile))).err);
}

TEST_F(PackCommand, AFullDiskIsSaidWithCode5AndLeavesNothing) {
  const std::string command = "ulimit -f 100; " + std::string(build_paths::program) + " pack " + in("large") + " --kind raw --side full --data " +
                              in("images") + " 2>" + in("stderr");
  const int status = std::system(("trap '' XFSZ; " + command).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 5) << read(in("stderr"));
  EXPECT_NE(read(in("stderr")).find("shard-00000"), std::string::npos) << read(in("stderr"));
  EXPECT_FALSE(fs::exists(in("large")));
}

TEST_F(PackCommand, StoppedByASignalItLeavesNothing) {
  MakeDataOptions many;
  many.folder = in("many");
  many.images = 150;
  make_data(many);
  const std::string command = "exec " + std::string(build_paths::program) + " pack " + in("stopped") + " --kind resized --data " + in("many") +
                              " >/dev/null 2>" + in("stderr");
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  for (int i = 0; i < 1000 && !fs::exists(in("stopped/shard-00000.part")); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ::kill(child, SIGINT);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130) << read(in("stderr"));
  EXPECT_FALSE(fs::exists(in("stopped")));
}
