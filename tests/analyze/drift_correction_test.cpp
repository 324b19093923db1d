// A machine that changes while it is searched must not make settings slower than they are.

#include "analyze/drift_correction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "analyze/measurements.hpp"
#include "analyze/race.hpp"
#include "run_builder.hpp"

using namespace feedtune;
using namespace feedtune::testing;

namespace {

const Configuration reference = make({.batch = 64, .workers = 8, .loader = "pooled"});

/// Blocks of 8 equally fast settings between references, as the search measures them; `level` by trial, counted from 0.
RunBuilder searched(int blocks, double rate, double cv, const std::function<double(int)>& level, std::uint64_t seed = 1) {
  RunBuilder b;
  b.within_sd = cv / 2;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, cv);
  int trial = 0;
  const auto measure = [&](const Configuration& c) { b.explore(c, rate * level(trial++) * std::exp(noise(random))); };
  measure(reference);
  for (int block = 0; block < blocks; ++block) {
    for (int i = 0; i < 8; ++i) measure(make({.batch = 32, .workers = 1 + 8 * block + i, .loader = "pooled"}));
    measure(reference);
  }
  return b;
}

int called_slower(const feedtune::Run& run) {
  const Measurements data = gather(run);
  const auto standings = judge(data, 0.02, [](const Measured&) { return true; });
  return static_cast<int>(std::count_if(standings.begin(), standings.end(), [](const Standing& s) { return s.verdict == Verdict::slower; }));
}

}  // namespace

TEST(DriftCorrection, EqualSettingsStayEqualAcrossAStep) {
  // After 5 blocks (46 trials) the machine loses a tenth of its speed, between two references.
  const RunBuilder b = searched(10, 1000, 0.003, [](int trial) { return trial < 50 ? 1.0 : 0.9; });
  const Measurements data = gather(b.run);
  for (const Measured& m : data.all) {
    const int trial = static_cast<int>(m.trials.front() - b.run.trials.data());
    const bool in_the_block_of_the_step = trial > 45 && trial < 54;
    if (in_the_block_of_the_step) {
      EXPECT_GT(m.drift_sd, 0.02) << "nobody knows when in this block it happened";
      EXPECT_NEAR(std::exp(data.estimate(m)), 900, 60);
    } else {
      EXPECT_NEAR(std::exp(data.estimate(m)), 900, 15) << "as the machine was in the end; trial " << trial;
    }
  }
  EXPECT_EQ(called_slower(b.run), 0);
}

TEST(DriftCorrection, AnUndisturbedSearchIsTakenAsItIs) {
  const RunBuilder b = searched(10, 1000, 0.005, [](int) { return 1.0; });
  const DriftCorrection drift(b.run);
  for (const TrialResult& t : b.run.trials) {
    EXPECT_EQ(drift.of(t).log_rate, 0);
    EXPECT_EQ(drift.of(t).sd, 0);
  }
}

TEST(DriftCorrection, ConfirmationAndSearchesTooShortToTellAreLeftAlone) {
  RunBuilder few = searched(2, 1000, 0.003, [](int trial) { return trial < 9 ? 1.0 : 0.9; });
  EXPECT_EQ(DriftCorrection(few.run).of(few.run.trials.front()).log_rate, 0);
  const RunBuilder empty;
  EXPECT_TRUE(gather(empty.run).all.empty());
  RunBuilder b = searched(10, 1000, 0.003, [](int trial) { return trial < 50 ? 1.0 : 0.9; });
  for (int block = 1; block <= 4; ++block) b.confirm(reference, block, 900);
  const Measurements data = gather(b.run);
  EXPECT_NEAR(std::exp(data.estimate(*data.find(reference.key()))), 900, 1e-6);
}

TEST(DriftCorrection, RarelyCallsAnEqualSettingSlowerOverManyDriftingSearches) {
  int slower = 0, searches = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const double size = seed % 2 ? 0.9 : 1.12;
    const int when = 20 + static_cast<int>(seed) % 50;
    slower += called_slower(searched(10, 1000, 0.015, [&](int trial) { return trial < when ? 1.0 : size; }, seed).run) > 0 ? 1 : 0;
    ++searches;
  }
  EXPECT_LE(slower, searches / 10) << "80 settings of one speed, some of them measured on a slower machine";
}
