#include "replay/recorded_grid.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "core/error.hpp"

using namespace feedtune;

namespace {

const std::string header = "batch_size,pin,status,images_per_s,cost_s\n";

std::string fault_of(const std::string& text) {
  try {
    parse_grid_csv(text, "grid.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}
/// Of a file whose second line is a good run and whose third is `line`.
std::string fault_of_line(const std::string& line) { return fault_of(header + "64,yes,ok,100,2\n" + line + "\n"); }

TrialResult trial(const std::string& stage, Purpose purpose, std::int64_t batch, double rate) {
  TrialResult t;
  t.id = 7;
  t.stage = stage;
  t.purpose = purpose;
  t.configuration.set("batch_size", batch);
  t.images_per_s = Interval{rate, rate * 0.99, rate * 1.01, 20};
  t.cost_s = 3;
  return t;
}

}  // namespace

TEST(RecordedGrid, ACsvHasManyRunsAConfigurationAndAxesThatFeedtuneNeverHeardOf) {
  const RecordedGrid grid = parse_grid_csv(
      "cost_s,flux,batch_size,status,images_per_s,memory_kind\r\n2.5,low,64,ok,100,\r\n3,low,64,ok,4e2,\r\n1,,64,out_of_memory,,device\r\n",
      "grid.csv");
  ASSERT_EQ(grid.trials().size(), 2u);
  const Configuration low({{"batch_size", std::int64_t{64}}, {"flux", "low"}}), without({{"batch_size", std::int64_t{64}}});
  const auto& runs = grid.trials().at(low);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].images_per_s->mean, 100);
  EXPECT_EQ(runs[0].cost_s, 2.5);
  EXPECT_EQ(runs[1].images_per_s->mean, 400);
  EXPECT_EQ(grid.trials().at(without).front().memory_kind, MemoryKind::device);
  EXPECT_NEAR(*recorded_rate(runs), 200, 1e-9) << "geometric mean of 100 and 400";
  EXPECT_FALSE(recorded_rate(grid.trials().at(without)));
  EXPECT_NEAR(fastest_recorded_rate(grid), 200, 1e-9);
  EXPECT_NEAR(exhaustive_cost_s(grid), 2.75 + 1, 1e-9) << "each configuration once, by the mean cost of its runs";
}

TEST(RecordedGrid, AWrongHeaderIsRefusedWithWhatIsWanted) {
  EXPECT_EQ(fault_of(""), "grid.csv: is empty, want a header line: axes, status, images_per_s, cost_s");
  EXPECT_EQ(fault_of("batch_size,status,images_per_s\n"),
            "grid.csv:1: no column cost_s, want one column an axis, then status, images_per_s, cost_s");
  EXPECT_EQ(fault_of("a,b,a,status,images_per_s,cost_s\n"), "grid.csv:1: column \"a\" twice");
  EXPECT_EQ(fault_of("a,,status,images_per_s,cost_s\n"), "grid.csv:1: column 2 has no name");
  EXPECT_EQ(fault_of("status,images_per_s,cost_s,memory_kind\nok,1,1,\n"),
            "grid.csv:1: no axis: every column but status, images_per_s, cost_s and memory_kind is one");
}

TEST(RecordedGrid, AFileWithNothingToReplayIsRefused) {
  EXPECT_EQ(fault_of(header), "grid.csv: no run below the header line: nothing to replay");
  EXPECT_EQ(fault_of(header + "64,yes,crashed,,1\n"), "grid.csv: no run is ok: nothing to replay");
}

TEST(RecordedGrid, AWrongFieldIsRefusedAtItsLineWithWhatIsAccepted) {
  const std::string number = ", want a number above 0 and up to ";
  for (const std::string bad : {"nan", "inf", "-1", "0", "", "fast", "1e13", "1e999", " 5", "5 ", "0x10", "1,5"})
    EXPECT_EQ(fault_of_line("64,yes,ok,\"" + bad + "\",2"), "grid.csv:3: images_per_s: got \"" + bad + "\"" + number + "1e+12");
  for (const std::string bad : {"nan", "-inf", "-1", "0", "", "2s", "1e7"})
    EXPECT_EQ(fault_of_line("64,yes,ok,100," + bad), "grid.csv:3: cost_s: got \"" + bad + "\"" + number + "1e+06");
  EXPECT_EQ(fault_of_line("64,yes,OK,100,2"),
            "grid.csv:3: status: got \"OK\", want one of ok, out_of_memory, timeout, crashed, invalid, unsupported, too_short, no_steady_state");
  EXPECT_EQ(fault_of_line("64,yes,crashed,100,2"), "grid.csv:3: images_per_s: got \"100\", want nothing where the status is not ok");
  EXPECT_EQ(fault_of_line("64,yes,ok,100"), "grid.csv:3: 4 fields, want 5 as in the header line");
  EXPECT_EQ(fault_of_line("64,yes,ok,100,2,"), "grid.csv:3: 6 fields, want 5 as in the header line");
  EXPECT_EQ(fault_of_line(",,ok,100,2"), "grid.csv:3: no axis has a value");
  for (const std::string bad : {"big", "0", "-4", "2147483648", "6.4"})
    EXPECT_EQ(fault_of_line(bad + ",yes,ok,100,2"), "grid.csv:3: batch_size: got \"" + bad + "\", want an integer from 1 to 2147483647");
  EXPECT_NE(fault_of_line("64,99999999999999999999,ok,100,2").find("grid.csv:3: pin: got"), std::string::npos);
  const std::string memory = "a,memory_kind,status,images_per_s,cost_s\n1,";
  EXPECT_EQ(fault_of(memory + "vram,out_of_memory,,1\n"), "grid.csv:2: memory_kind: got \"vram\", want one of device, host, pinned");
  EXPECT_EQ(fault_of(memory + "host,ok,5,1\n"), "grid.csv:2: memory_kind: want nothing where the status is not out_of_memory");
}

TEST(RecordedGrid, ARunGivesItsSearchItsConfirmationAndItsParts) {
  feedtune::Run run;
  run.machine.cpus.effective = 6;
  run.trials = {trial("component", Purpose::step_only, 32, 900), trial("anchor", Purpose::trial, 64, 1), trial("explore", Purpose::trial, 64, 100),
                trial("confirm", Purpose::trial, 64, 110), trial("explore", Purpose::trial, 128, 90)};
  const RecordedGrid grid = grid_of(run, "runs/a");
  EXPECT_EQ(grid.trials().size(), 2u);
  EXPECT_EQ(grid.trials().at(run.trials[2].configuration).size(), 2u) << "the anchor is of other images";
  EXPECT_EQ(grid.runs.at(Purpose::step_only).size(), 1u);
  EXPECT_FALSE(grid.runs.contains(Purpose::copy_only));
  EXPECT_EQ(grid.origin.machine.cpus.effective, 6);
  EXPECT_TRUE(grid.origin.trials.empty());
}

TEST(RecordedGrid, ARunThatCannotBeReplayedIsRefusedWithItsTrial) {
  const auto fault = [](std::vector<TrialResult> trials) {
    feedtune::Run run;
    run.trials = std::move(trials);
    try {
      grid_of(run, "runs/a");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(fault({}), "runs/a: no trial of a search in it: nothing to replay");
  TrialResult crashed = trial("explore", Purpose::trial, 64, 1);
  crashed.status = TrialStatus::crashed;
  EXPECT_EQ(fault({crashed}), "runs/a: no trial in it worked: nothing to replay");
  TrialResult free = trial("explore", Purpose::trial, 64, 100);
  free.cost_s = 0;
  EXPECT_EQ(fault({free}), "runs/a: trial 7: cost_s is 0, want a number above 0: this trial cannot be replayed");
  EXPECT_EQ(fault({trial("explore", Purpose::trial, 64, -3)}),
            "runs/a: trial 7: images_per_s is -3, want a number above 0: this trial cannot be replayed");
}

TEST(RecordedGrid, MadeEqualEveryConfigurationHasTheSameRateAndItsOwnScatter) {
  const RecordedGrid grid = all_equal(parse_grid_csv(header + "64,no,ok,90,1\n64,no,ok,110,1\n128,no,ok,30,1\n256,no,crashed,,1\n", "x"));
  const double common = std::sqrt(90.0 * 110.0);
  for (const auto& [configuration, runs] : grid.trials())
    if (const auto rate = recorded_rate(runs)) {
      EXPECT_NEAR(*rate, common, 1e-9);
    }
  const auto& two = grid.trials().begin()->second;
  EXPECT_NEAR(two[1].images_per_s->mean / two[0].images_per_s->mean, 110.0 / 90.0, 1e-12);
  EXPECT_FALSE(recorded_rate(std::prev(grid.trials().end())->second));
}

TEST(RecordedGrid, WhateverTheBytesItIsTakenOrRefusedAtItsPlace) {
  // Pieces that a CSV is made of, in any order: most are no grid, some are.
  const std::vector<std::string> pieces = {"batch_size", "status",  "images_per_s", "cost_s", ",",  "\n", "\r\n", "\"", "ok", "1", "64",
                                           "1e999",      "nan",     "-1",           "\xEF\xBB\xBF", "\r", "\xC3", "crashed", "", "a b", "\"\""};
  rc::check("parse_grid_csv", [&] {
    std::string text = *rc::gen::element(std::string(), header, std::string("a,status,images_per_s,cost_s\n"));
    for (const int piece : *rc::gen::container<std::vector<int>>(rc::gen::inRange<int>(0, static_cast<int>(pieces.size()))))
      text += pieces[static_cast<std::size_t>(piece)];
    try {
      const RecordedGrid grid = parse_grid_csv(text, "grid.csv");
      RC_ASSERT(fastest_recorded_rate(grid) > 0);
      RC_ASSERT(exhaustive_cost_s(grid) > 0);
    } catch (const InputError& error) {
      RC_ASSERT(std::string(error.what()).starts_with("grid.csv"));
    }
  });
}
