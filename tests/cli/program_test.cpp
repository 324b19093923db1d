// The program as a user meets it: exit codes, what goes to stdout and stderr, and that nothing is lost.

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
#include <vector>

#include "build_paths.hpp"
#include "core/error.hpp"
#include "json/run_json.hpp"
#include "pipeline/make_data.hpp"
#include "run_command.hpp"
#include "store/run_folder.hpp"

using namespace feedtune;
using test::Outcome;
using test::read;
namespace fs = std::filesystem;

namespace {

class Program : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("feedtune-cli-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    MakeDataOptions options;
    options.folder = (folder_ / "images").string();
    options.images = 24;
    options.classes = 2;
    make_data(options);
    ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    ::setenv("FEEDTUNE_CONFIGS", (fs::path(build_paths::sources) / "configs").c_str(), 1);
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static Outcome run(const std::string& arguments) { return test::run_command(std::string(build_paths::program) + " " + arguments, folder_); }

  /// A sweep of a few seconds over 4 configurations.
  static std::string sweep(const std::string& out, const std::string& more = "") {
    return "sweep --data " + (folder_ / "images").string() + " --out " + (folder_ / out).string() +
           " --device virtual:t4 --model mixer-pico --image-size 32 --axis batch_size=4 --axis num_workers=0,1 --axis loader=pooled"
           " --axis host_memory=pageable,pinned --trial-time 0.1s --budget 12trials --no-anchors " + more;
  }

  /// Runs it beside the test, with `signal` handled so when it begins.
  static pid_t start(const std::string& arguments, int signal, void (*handler)(int)) {
    const std::string command = "exec " + std::string(build_paths::program) + " " + arguments + " >/dev/null 2>&1";
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(signal, handler);
      ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    return child;
  }

  /// Until so many records are in the journal.
  static void wait_for_trials(const std::string& out, int records) {
    const fs::path journal = folder_ / out / "trials.jsonl";
    for (int i = 0; i < 600; ++i) {
      const std::string text = fs::exists(journal) ? read(journal) : "";
      if (std::count(text.begin(), text.end(), '\n') >= records) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  static fs::path folder_;
};

fs::path Program::folder_;

std::multiset<std::string> explored(const Run& run) {
  std::multiset<std::string> keys;
  for (const auto& trial : run.trials)
    if (trial.stage == "explore") keys.insert(std::to_string(trial.block) + " " + trial.configuration.key());
  return keys;
}

}  // namespace

TEST_F(Program, ASweepEndsWithAnAnswerOnStdoutAndAFileThatValidates) {
  const Outcome swept = run(sweep("whole"));
  ASSERT_EQ(swept.code, 0) << swept.err;
  EXPECT_TRUE(swept.out.starts_with("Verdict")) << swept.out;
  EXPECT_NE(swept.out.find("modelled"), std::string::npos) << "a modelled device has to be called that";
  EXPECT_NE(swept.err.find("result.json"), std::string::npos);
  const auto ceilings = swept.err.find("Ceiling (each part alone)");
  EXPECT_LT(ceilings, swept.err.find("explore: ")) << "is the loader worth fixing? Said before the search begins\n" << swept.err;
  EXPECT_EQ(run("validate " + (folder_ / "whole").string()).code, 0);
  const Outcome text = run("recommend " + (folder_ / "whole" / "result.json").string());
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(text.out, swept.out) << "the file says what the sweep said";
  EXPECT_EQ(run("recommend " + (folder_ / "whole").string() + " --format json").out.front(), '{');

  const Outcome again = run(sweep("whole"));
  EXPECT_EQ(again.code, 3) << "a finished run is never overwritten";
  EXPECT_NE(again.err.find("--resume"), std::string::npos) << again.err;
}

TEST_F(Program, InterruptedAndResumedItMeasuresTheSameTrialsAndLeavesNoChild) {
  // A guided sweep goes by what it measures, and no two live runs measure the same; on replay it is held to the same bytes.
  ASSERT_EQ(run(sweep("uninterrupted", "--strategy grid --seed 5")).code, 0);

  const pid_t child = start(sweep("interrupted", "--strategy grid --seed 5"), SIGINT, SIG_DFL);
  wait_for_trials("interrupted", 8);
  ::kill(child, SIGINT);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const feedtune::Run stopped = load_run((folder_ / "interrupted").string());
  EXPECT_FALSE(stopped.complete);
  EXPECT_LT(stopped.trials.size(), load_run((folder_ / "uninterrupted").string()).trials.size());

  const Outcome other = run(sweep("interrupted", "--strategy grid --seed 6 --resume"));
  EXPECT_EQ(other.code, 3) << "another seed is another sweep";
  const Outcome resumed = run(sweep("interrupted", "--strategy grid --seed 5 --resume"));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  const feedtune::Run whole = load_run((folder_ / "uninterrupted").string());
  const feedtune::Run joined = load_run((folder_ / "interrupted").string());
  EXPECT_TRUE(joined.complete);
  EXPECT_EQ(explored(joined), explored(whole));
  EXPECT_EQ(run("validate " + (folder_ / "interrupted").string()).code, 0);
}

TEST_F(Program, ASweepUnderNohupOutlivesTheTerminal) {
  const pid_t child = start(sweep("nohup"), SIGHUP, SIG_IGN);
  wait_for_trials("nohup", 3);
  ::kill(child, SIGHUP);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(load_run((folder_ / "nohup").string()).complete);
}

TEST_F(Program, ARunFolderInUseIsLeftAloneWithCode4) {
  ASSERT_EQ(run(sweep("busy")).code, 0);
  const std::string before = read(folder_ / "busy" / "trials.jsonl");
  JournalContent content;
  const RunFolder held = RunFolder::resume((folder_ / "busy").string(), content);
  const Outcome outcome = run(sweep("busy", "--resume"));
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_EQ(read(folder_ / "busy" / "trials.jsonl"), before);
}

TEST_F(Program, ARunIsNotWrittenAmongTheImages) {
  const fs::path inside = folder_ / "images" / "n00000000" / "run";
  const Outcome refused = run(sweep("images/n00000000/run"));
  EXPECT_EQ(refused.code, 3) << refused.err;
  EXPECT_NE(refused.err.find("lies inside the data"), std::string::npos) << refused.err;
  EXPECT_FALSE(fs::exists(inside));
  // Nor by way of a list that names the images.
  std::ofstream(folder_ / "list.txt") << fs::relative(fs::directory_iterator(folder_ / "images" / "n00000000")->path(), folder_).string() << '\n';
  EXPECT_EQ(run("sweep --dry-run --data " + (folder_ / "list.txt").string() + " --out " + inside.string()).code, 3);
  EXPECT_EQ(run("sweep --dry-run --data " + (folder_ / "list.txt").string() + " --out " + (folder_ / "beside").string()).code, 0);
  // A folder whose name begins alike is not inside.
  EXPECT_EQ(run(sweep("images-run")).code, 0);
}

TEST_F(Program, EveryMistakeIsOneLineWithItsPlaceAndItsCode) {
  fs::create_directories(folder_ / "empty");
  const std::string some_image = fs::directory_iterator(folder_ / "images" / "n00000000")->path().string();
  std::ofstream(folder_ / "bad.json") << "{\"axes\": {\"batch_size\": [16, \"x\"]}}";
  std::ofstream(folder_ / "no-result.json") << "not json";
  const std::string data = " --data " + (folder_ / "images").string();
  struct Case {
    std::string arguments;
    int code;
    std::string says;
  };
  for (const Case& c : {
           Case{"sweep", 2, "--data"},
           Case{"sweep --nonsense", 2, "nonsense"},
           Case{"", 2, "feedtune"},
           Case{"sweep" + data + " --budget soon", 2, "--budget"},
           Case{"sweep --data " + (folder_ / "missing").string(), 3, "missing"},
           Case{"sweep --data " + (folder_ / "empty").string(), 3, "empty"},
           Case{"sweep --data " + some_image, 3, some_image},
           Case{"sweep" + data + " --axis num_worker=1", 3, "did you mean num_workers"},
           Case{"sweep" + data + " --axis host_memory=pined", 3, "pageable, pinned"},
           Case{"sweep" + data + " --axis batch_size=100", 3, "batch_size"},
           Case{"sweep" + data + " --model mixer-nan", 3, "mixer-nano"},
           Case{"sweep" + data + " --strategy gird", 3, "grid"},
           Case{"sweep" + data + " --current num_worker=1", 3, "num_workers"},
           Case{"sweep " + (folder_ / "bad.json").string() + data, 3, "batch_size[1]"},
           Case{"sweep" + data + " --device virtual:rtx-4080", 6, "rtx-4090"},
           Case{"sweep" + data + " --device cuda", 6, "cuda"},
           Case{"sweep" + data + " --device cpu --step 85ms@64", 2, "--step"},
           Case{"recommend " + (folder_ / "missing").string(), 3, "missing"},
           Case{"recommend " + (folder_ / "no-result.json").string(), 3, "no-result.json"},
           Case{"validate " + (folder_ / "no-result.json").string(), 3, "no-result.json"},
           Case{"make-data " + (folder_ / "images").string() + " --images 3 --seed 77", 3, "images"},
           Case{"make-data " + (folder_ / "new").string() + " --images 0", 2, "--images"},
       }) {
    const Outcome outcome = run(c.arguments);
    EXPECT_EQ(outcome.code, c.code) << c.arguments << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find(c.says), std::string::npos) << c.arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << c.arguments;
  }
}

TEST_F(Program, APathThatCannotEvenBeLookedAtIsOneLineAndNoCrash) {
  fs::create_symlink("loop", folder_ / "loop");
  const std::string data = " --device virtual:t4 --no-anchors --data " + (folder_ / "images").string();
  for (const std::string& path : {(folder_ / "loop").string(), (folder_ / "loop" / "below").string(), (folder_ / std::string(300, 'x')).string()}) {
    for (const std::string& arguments :
         {"validate " + path, "recommend " + path, "make-data " + path + " --images 1", "sweep --device virtual:t4 --dry-run --data " + path,
          "sweep " + path + data, "sweep" + data + " --out " + path, "sweep" + data + " --resume --out " + path}) {
      const Outcome outcome = run(arguments);
      EXPECT_TRUE(outcome.code == 3 || outcome.code == 5) << arguments << ": " << outcome.code << "\n" << outcome.err;
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << arguments << "\n" << outcome.err;
      EXPECT_TRUE(outcome.err.starts_with("feedtune: ")) << outcome.err;
    }
  }
}

TEST_F(Program, AFolderOfSomebodyElseIsOneLineAndNoCrash) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may look anywhere";
  const fs::path closed = folder_ / "closed";
  fs::create_directories(closed / "devices");
  fs::permissions(closed, fs::perms::none);
  const Outcome outcome = run("validate " + (closed / "run").string());
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("feedtune: ")) << outcome.err;
  fs::permissions(closed, fs::perms::owner_all);
  fs::permissions(closed / "devices", fs::perms::none);
  const std::string command = "FEEDTUNE_CONFIGS=" + closed.string() + " " + build_paths::program + " devices 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 5);
  fs::permissions(closed / "devices", fs::perms::owner_all);
}

TEST_F(Program, ACacheThatCannotBeWrittenCostsNoRunFolderAndNamesTheWayOut) {
  std::string with_anchors = sweep("anchored");
  with_anchors.erase(with_anchors.find("--no-anchors"), std::string("--no-anchors").size());
  ::setenv("XDG_CACHE_HOME", "/dev/null", 1);
  const Outcome outcome = run(with_anchors);
  ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_NE(outcome.err.find("--no-anchors"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(folder_ / "anchored")) << "the next try would be told that it holds a run already";
  EXPECT_EQ(run(sweep("anchored")).code, 0);
}

TEST_F(Program, AFullDiskIsSaidWithCode5) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const std::string command = std::string(build_paths::program) + " axes >/dev/full 2>" + (folder_ / "stderr").string();
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 5);
  EXPECT_NE(read(folder_ / "stderr").find("standard output"), std::string::npos);
}

TEST_F(Program, ADryRunMeasuresNothingAndLeavesNoFolder) {
  const Outcome outcome = run(sweep("dry", "--dry-run"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("trials, about"), std::string::npos) << outcome.out;
  EXPECT_FALSE(fs::exists(folder_ / "dry"));
}

TEST_F(Program, ListsNameEveryDeviceModelAxisAndStrategy) {
  for (const auto& [list, names] : {std::pair<std::string, std::vector<std::string>>{"devices", {"cpu", "virtual:rtx-2080ti", "virtual:h100-sxm", "cuda"}},
                                    {"models", {"mixer-nano", "mixer-s16", "mixer-b16"}},
                                    {"axes", {"num_workers", "host_memory", "prefetch"}},
                                    {"strategies", {"grid", "random"}}}) {
    const Outcome outcome = run(list);
    EXPECT_EQ(outcome.code, 0);
    for (const auto& name : names) EXPECT_NE(outcome.out.find(name), std::string::npos) << list << " " << name;
    EXPECT_NE(run(list + " --format md").out.find("| ---"), std::string::npos);
  }
}
