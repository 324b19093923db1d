#include "measure/phase_recorder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

using namespace feedtune;

namespace {

Nanoseconds us(double value) { return Nanoseconds{static_cast<std::int64_t>(value * 1000)}; }

}  // namespace

TEST(PhaseRecorder, SummarisesInMilliseconds) {
  PhaseRecorder recorder(1000);
  for (int i = 1; i <= 101; ++i) recorder.record(us(i * 1000));  // 1 .. 101 ms
  const auto summary = recorder.summary();
  EXPECT_EQ(summary.count, 101);
  EXPECT_DOUBLE_EQ(summary.mean, 51);
  EXPECT_DOUBLE_EQ(summary.p50, 51);
  EXPECT_DOUBLE_EQ(summary.p95, 96);
  EXPECT_DOUBLE_EQ(summary.p99, 100);
  EXPECT_DOUBLE_EQ(summary.max, 101);
}

TEST(PhaseRecorder, BucketsAreEighthsOfOctavesOfMicroseconds) {
  // core/phases.hpp: bucket k from 2^(k/8) to 2^((k+1)/8) us, bucket 0 takes what is shorter.
  EXPECT_EQ(phase_bucket(us(0)), 0);
  EXPECT_EQ(phase_bucket(us(1)), 0);
  EXPECT_EQ(phase_bucket(us(1.09)), 0);  // 2^(1/8) = 1.0905
  EXPECT_EQ(phase_bucket(us(1.092)), 1);
  EXPECT_EQ(phase_bucket(us(2)), 8);
  EXPECT_EQ(phase_bucket(us(1024)), 80);
  EXPECT_EQ(phase_bucket(us(1023)), 79);
  EXPECT_EQ(phase_bucket(Nanoseconds{-5}), 0);
}

TEST(PhaseRecorder, TheHistogramCountsEveryDurationOnceInOrder) {
  PhaseRecorder recorder(4);
  for (const double value : {2.0, 2.0, 1024.0, 0.5, 2.0}) recorder.record(us(value));
  EXPECT_EQ(recorder.summary().histogram, (std::vector<std::pair<int, std::int64_t>>{{0, 1}, {8, 3}, {80, 1}}));
}

TEST(PhaseRecorder, BeyondItsCapacityOnlyPercentilesAreSampled) {
  PhaseRecorder recorder(2000);
  constexpr int steps = 100'000;
  for (int i = 0; i < steps; ++i) recorder.record(us(i));  // 0 .. 99.999 ms, in order: the start must not win
  const auto summary = recorder.summary();
  EXPECT_EQ(summary.count, steps);
  EXPECT_DOUBLE_EQ(summary.mean, (steps - 1) / 2.0 / 1000);
  EXPECT_DOUBLE_EQ(summary.max, (steps - 1) / 1000.0);
  // Standard error of a sampled quantile of a uniform distribution: range * sqrt(q (1 - q) / n).
  EXPECT_NEAR(summary.p50, 50, 5 * 100 * std::sqrt(0.25 / 2000));
  EXPECT_NEAR(summary.p99, 99, 5 * 100 * std::sqrt(0.99 * 0.01 / 2000));
}

TEST(PhaseRecorder, AWarmUpCanBeForgotten) {
  PhaseRecorder recorder(10);
  recorder.record(us(5'000'000));
  recorder.clear();
  recorder.record(us(1000));
  EXPECT_DOUBLE_EQ(recorder.summary().max, 1);
  EXPECT_EQ(recorder.total(), us(1000));
  EXPECT_EQ(recorder.count(), 1);
}

TEST(PhaseRecorder, AnUnusedPhaseIsAbsentNotZero) {
  PhaseRecorders recorders(100);
  recorders.at("step").record(us(1000));
  const auto summaries = recorders.summaries();
  EXPECT_EQ(summaries.size(), 1u);
  EXPECT_TRUE(summaries.contains("step"));
  EXPECT_THROW(recorders.at("setp"), std::out_of_range);
  for (const char* name : phase_names) EXPECT_NO_THROW(recorders.at(name));
}
