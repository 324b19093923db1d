// sweep --replay and evaluate, as a user meets them.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "build_paths.hpp"
#include "cli/evaluation.hpp"
#include "json/run_json.hpp"
#include "json/value.hpp"
#include "run_command.hpp"
#include "search/strategy.hpp"
#include "store/run_folder.hpp"

using namespace feedtune;
using test::Outcome;
using test::read;
namespace fs = std::filesystem;

namespace {

class Replay : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("feedtune-replay-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    // Somebody else's axes: flux and depth saturate at 8; 3 runs each, 2 % apart; the largest runs out of memory.
    std::string grid = "batch_size,depth,flux,status,images_per_s,cost_s\n";
    for (const int batch : {32, 64, 128, 256})
      for (const int depth : {1, 2, 4, 8, 16})
        for (const std::string flux : {"low", "high"})
          for (const double noise : {0.98, 1.0, 1.02}) {
            const bool runs = batch < 256 || depth < 16;
            const double rate = noise * std::min(depth, 8) * (flux == "high" ? 110 : 100) * (1 - 4.0 / batch);
            grid += std::to_string(batch) + "," + std::to_string(depth) + "," + flux + (runs ? ",ok," + std::to_string(rate) : ",out_of_memory,") + ",2.5\n";
          }
    write("grid.csv", grid);
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  static std::string path(const std::string& name) { return (folder_ / name).string(); }

  static Outcome run(const std::string& arguments) { return test::run_command(std::string(build_paths::program) + " " + arguments, folder_); }
  static Outcome sweep(const std::string& more) { return run("sweep --replay " + path("grid.csv") + " " + more); }

  static fs::path folder_;
};

fs::path Replay::folder_;

}  // namespace

TEST_F(Replay, ASweepOfSomebodyElsesAxesIsAnsweredFromTheRecordAndSaysSo) {
  const Outcome swept = sweep("--strategy grid --out " + path("whole"));
  ASSERT_EQ(swept.code, 0) << swept.err;
  EXPECT_TRUE(swept.out.starts_with("Verdict")) << swept.out;
  EXPECT_NE(swept.out.find("replayed: "), std::string::npos) << swept.out;
  EXPECT_EQ(swept.out.find("PyTorch"), std::string::npos) << "nobody knows what of these axes PyTorch can take\n" << swept.out;
  const feedtune::Run result = load_run(path("whole"));
  ASSERT_TRUE(result.recommendation && result.recommendation->best);
  EXPECT_EQ(result.recommendation->best->configuration.text("flux"), "high");
  EXPECT_GE(*result.recommendation->best->configuration.integer("depth"), 8);
  for (const TrialResult& trial : result.trials) EXPECT_EQ(trial.purpose, Purpose::trial) << "no part alone was recorded, so none is tried";
  EXPECT_EQ(run("validate " + path("whole")).code, 0);
  EXPECT_EQ(run("recommend " + path("whole")).out, swept.out);
}

TEST_F(Replay, TheSameSeedGivesTheSameBytesAndAnotherAnotherRun) {
  ASSERT_EQ(sweep("--strategy random --seed 3 --out " + path("once")).code, 0);
  ASSERT_EQ(sweep("--strategy random --seed 3 --out " + path("twice")).code, 0);
  ASSERT_EQ(sweep("--strategy random --seed 4 --out " + path("other")).code, 0);
  EXPECT_EQ(read(folder_ / "once" / "result.json"), read(folder_ / "twice" / "result.json"));
  EXPECT_NE(read(folder_ / "once" / "result.json"), read(folder_ / "other" / "result.json"));
}

TEST_F(Replay, InterruptedAnywhereAndResumedItEndsAsIfItHadNot) {
  for (const StrategyEntry& entry : all_strategies()) {
    const std::string strategy = entry.name;
    const std::string options = "--strategy " + strategy + " --budget 40trials --seed 5 --quiet --out ";
    ASSERT_EQ(sweep(options + path("uncut-" + strategy)).code, 0);
    std::istringstream journal(read(folder_ / ("uncut-" + strategy) / "trials.jsonl"));
    std::vector<std::string> records;
    for (std::string line; std::getline(journal, line);) records.push_back(line + '\n');
    const Outcome whole = run("recommend --format json " + path("uncut-" + strategy));
    for (const std::size_t kept : {std::size_t{1}, records.size() / 3, records.size() - 1}) {
      const std::string cut = "cut-" + strategy + std::to_string(kept);
      fs::create_directories(folder_ / cut);
      std::string text;
      for (std::size_t i = 0; i < kept; ++i) text += records[i];
      write(cut + "/trials.jsonl", text);
      const Outcome resumed = sweep(options + path(cut) + " --resume");
      ASSERT_EQ(resumed.code, 0) << resumed.err;
      EXPECT_EQ(run("recommend --format json " + path(cut)).out, whole.out) << strategy << " cut behind record " << kept;
    }
    EXPECT_EQ(sweep("--strategy " + strategy + " --budget 40trials --seed 6 --resume --out " + path("uncut-" + strategy)).code, 3);
  }
}

TEST_F(Replay, AResultOfASweepIsARecordToo) {
  ASSERT_EQ(sweep("--strategy grid --seed 8 --out " + path("recorded")).code, 0);
  const Outcome again = run("sweep --replay " + path("recorded/result.json") + " --strategy grid --out " + path("again"));
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(load_run(path("again")).recommendation->best->configuration.text("flux"), "high");
}

TEST_F(Replay, HolesAreNotTriedAndASmallBudgetIsKept) {
  write("holes.csv", "a,b,status,images_per_s,cost_s\n1,1,ok,10,1\n1,2,ok,20,1\n2,1,ok,30,1\n");
  const Outcome swept = run("sweep --replay " + path("holes.csv") + " --strategy grid --out " + path("holes"));
  EXPECT_EQ(swept.code, 0) << swept.err;
  for (const TrialResult& trial : load_run(path("holes")).trials) EXPECT_EQ(trial.status, TrialStatus::ok);
  write("single.csv", "a,status,images_per_s,cost_s\n1,ok,10,1\n");
  write("equal.csv", "a,status,images_per_s,cost_s\n1,ok,10,1\n2,ok,10,1\n3,ok,10,1\n");
  for (const StrategyEntry& entry : all_strategies()) {
    const std::string with = " --strategy " + entry.name + " --out ";
    ASSERT_EQ(sweep("--budget 1trials" + with + path("one-" + entry.name)).code, 0);
    EXPECT_EQ(load_run(path("one-" + entry.name)).trials.size(), 1u);
    EXPECT_EQ(run("sweep --replay " + path("single.csv") + with + path("single-" + entry.name)).code, 0) << "one configuration, " << entry.name;
    EXPECT_EQ(run("sweep --replay " + path("equal.csv") + with + path("equal-" + entry.name)).code, 0) << "all equal, " << entry.name;
  }
}

TEST_F(Replay, EveryMistakeIsOneLineWithItsPlaceAndItsCode) {
  write("nan.csv", "a,status,images_per_s,cost_s\n1,ok,nan,1\n");
  write("failed.csv", "a,status,images_per_s,cost_s\n1,crashed,,1\n");
  const std::string grid = path("grid.csv");
  struct Case {
    std::string arguments;
    int code;
    std::string says;
  };
  for (const Case& c : {
           Case{"sweep --replay " + path("nan.csv"), 3, "nan.csv:2: images_per_s: got \"nan\", want a number above 0"},
           Case{"sweep --replay " + path("failed.csv"), 3, "failed.csv: no run is ok"},
           Case{"sweep --replay " + path("missing.csv"), 3, "missing.csv"},
           Case{"sweep --replay " + grid + " --data somewhere", 2, "--data cannot be given with --replay"},
           Case{"sweep --replay " + grid + " --axis depth=1", 2, "axis depth cannot be given with --replay"},
           Case{"sweep --replay " + grid + " --dry-run", 2, "--dry-run"},
           Case{"sweep --replay " + grid + " --strategy gird", 3, "did you mean grid"},
           Case{"sweep --replay " + grid + " --current depth=3", 3, "current.depth: 3 was not recorded; values: 1, 2, 4, 8, 16"},
           Case{"evaluate --strategy grid", 2, "--replay"},
           Case{"evaluate --replay " + grid + " --strategy grid,grid", 2, "grid is given twice"},
           Case{"evaluate --replay " + grid + " --strategy gird", 3, "did you mean grid"},
           Case{"evaluate --replay " + grid + " --strategy grid --seeds 0", 2, "--seeds: got '0'"},
           Case{"evaluate --replay " + grid + " --strategy grid --budget 0%", 2, "--budget"},
           Case{"evaluate --replay " + path("nan.csv") + " --strategy grid", 3, "nan.csv:2"},
       }) {
    const Outcome outcome = run(c.arguments + (c.arguments.starts_with("sweep") ? " --out " + path("mistake") : ""));
    EXPECT_EQ(outcome.code, c.code) << c.arguments << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find(c.says), std::string::npos) << c.arguments << "\n" << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "") << c.arguments;
    EXPECT_FALSE(fs::exists(folder_ / "mistake")) << c.arguments << ": a run was begun";
  }
}

TEST_F(Replay, EvaluateScoresEachStrategyAndOneThreadSaysTheSameAsMany) {
  EvaluationRequest request;
  request.files = {path("grid.csv")};
  request.strategies = {"grid", "random"};
  request.seeds = 6;
  request.budget = {.fixed = {}, .share = 0.6, .text = "60%"};
  const std::string alone = evaluation_json(evaluate(request));
  request.threads = 3;
  EXPECT_EQ(evaluation_json(evaluate(request)), alone);
  const Outcome evaluated = run("evaluate --replay " + path("grid.csv") + " --strategy grid,random --seeds 6 --budget 60% --format json");
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  EXPECT_EQ(evaluated.out, alone);
  const JsonValue document = parse_json(alone, "evaluation");
  const auto& scores = *document.find("scores")->array();
  ASSERT_EQ(scores.size(), 2u);
  for (const JsonValue& scored : scores) {
    const double cost = std::get<double>(scored.find("cost_share")->data) + std::get<double>(scored.find("confirm_cost_share")->data);
    EXPECT_GT(cost, 0.2);
    EXPECT_LT(cost, 0.65) << "60 % were given, to be overrun by one trial of 40 at most";
    EXPECT_EQ(std::get<std::int64_t>(scored.find("infeasible")->data), 0);
  }
  const Outcome text = run("evaluate --replay " + path("grid.csv") + " --strategy grid --seeds 2");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("regret: images/s lost"), std::string::npos) << text.out;
}

TEST_F(Replay, AnEvaluationFollowsItsSchemaWithAndWithoutValues) {
  // No gain can be published of a single configuration.
  write("single.csv", "a,status,images_per_s,cost_s\n1,ok,10,1\n");
  const Outcome evaluated = run("evaluate --replay " + path("single.csv") + " " + path("grid.csv") + " --strategy random --seeds 3 --format json");
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  EXPECT_NE(evaluated.out.find("\"coverage\": null"), std::string::npos) << evaluated.out;
  const fs::path sources = build_paths::sources;
  const std::string command = "-W ignore '" + (sources / "tests/json/schema_check.py").string() + "' --closed '" +
                              (sources / "results/schema/evaluation-0.1.schema.json").string() + "' '" + write("evaluation.json", evaluated.out) + "'";
  int code = 77;
  for (const char* python : {"/usr/bin/python3 ", "python3 "}) {
    const int status = std::system((python + command).c_str());
    code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code != 77 && code != 127) break;
  }
  if (code == 77 || code == 127) GTEST_SKIP() << "no python3 with jsonschema (apt: python3-jsonschema)";
  EXPECT_EQ(code, 0);
}
