#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "build_paths.hpp"
#include "run_command.hpp"

namespace feedtune {
namespace {

using ::testing::HasSubstr;

/// Stands for feedtune: four configurations of 100, 200, 300 and 400 images/s by num_workers, each trial of 2 s, on a machine that gets
/// slower by 10 % with every sweep. The grid finds the fastest, guided the one before. What was called stands in calls.txt.
constexpr const char* made_up_feedtune = R"(#!/usr/bin/env python3
import json, pathlib, sys
given = sys.argv[1:]
out = pathlib.Path(given[given.index("--out") + 1])
strategy = given[given.index("--strategy") + 1]
calls = pathlib.Path(__file__).parent / "calls.txt"
with calls.open("a") as file: file.write(strategy + "\n")
speed = 0.9 ** len(calls.read_text().splitlines())
of = lambda workers: {"num_workers": workers}
def trial(workers, stage):
    return {"purpose": "trial", "stage": stage, "status": "ok", "configuration": of(workers), "cost_s": 2.0,
            "images_per_s": {"mean": 100 * workers * speed}}
axes = [a.split("=")[2] for a in given if a.startswith("--axis=")]
tried = [int(axes[0])] if axes else [1, 2, 3, 4] if strategy == "grid" else [3]
pick = {"configuration": of(tried[-1])}
out.mkdir()
(out / "result.json").write_text(json.dumps({"complete": True, "recommendation": {"fastest": pick, "recommended": pick},
    "trials": [trial(w, "explore") for w in tried] + [trial(tried[-1], "confirm")] * (not axes)}))
)";

TEST(LiveSearch, LossesArePairedSoThatADriftOfTheMachineIsNotTakenForOne) {
  const test::TemporaryFolder folder;
  const auto program = folder.path() / "feedtune";
  std::ofstream(program) << made_up_feedtune;
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string command = "python3 -B " + std::string(build_paths::sources) + "/bench/search/live.py --feedtune " + program.string() + " --out " +
                              (folder.path() / "out").string() + " --seeds 2 --blocks 40 -- --data x --axis num_workers=1,2,3,4";
  const auto first = test::run(command);
  ASSERT_EQ(first.code, 0) << first.out;
  EXPECT_THAT(first.out, HasSubstr("4 configurations, 8 s for one trial of each; 40 fresh blocks of 2 picks"));
  EXPECT_THAT(first.out, HasSubstr("| grid | 100.0 % | 25.0 % | 0.0 [0.0, 0.0] % | 0.0 [0.0, 0.0] % |"));
  EXPECT_THAT(first.out, HasSubstr("| guided 2 | 25.0 % | 25.0 % |"));
  // 10 % a sweep, up or down as the order falls: a block's log ratio scatters by 0.105.
  double low = 0, mean = 0, high = 0;
  const auto line = first.out.substr(first.out.find("| guided 1 | 25.0 % | 25.0 % |"));
  ASSERT_EQ(std::sscanf(line.c_str(), "| guided 1 | 25.0 %% | 25.0 %% | %lf [%lf, %lf] %%", &mean, &low, &high), 3) << line;
  EXPECT_LE(low, 25);
  EXPECT_GE(high, 25);
  EXPECT_LT(high - low, 6) << "2 x 2.05 x 0.105 x 75 / sqrt(40) = 5.1";

  const auto calls = test::read(folder.path() / "calls.txt");
  const auto again = test::run(command);
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(test::read(folder.path() / "calls.txt"), calls) << "what was measured is not measured again";
}

}  // namespace
}  // namespace feedtune
