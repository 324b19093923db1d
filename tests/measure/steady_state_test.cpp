#include "measure/steady_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "measure/series.hpp"
#include "measure/statistics.hpp"

using namespace feedtune;
using Verdict = SteadyState::Verdict;

namespace {

/// Share of 200 series of a kind with the verdict.
template <class Make>
double share(Verdict verdict, Make series_of_seed, const SteadyOptions& options = {}) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) count += steady_state(series_of_seed(seed), options).verdict == verdict;
  return count / 200.0;
}

}  // namespace

TEST(SteadyState, ASlowStartIsCutOffWhereItEnds) {
  // 40 steps at twice the time, then 360 at 1.
  auto series = SeriesMaker(4).autoregressive(400, 1, 0.02, 0);
  for (std::size_t i = 0; i < 40; ++i) series[i] += 1;
  const auto state = steady_state(series);
  EXPECT_EQ(state.verdict, Verdict::steady) << state.text();
  EXPECT_GE(state.begin, 40u);
  EXPECT_LE(state.begin, 80u);
}

TEST(SteadyState, AQueueThatStartedFullIsCutOffToo) {
  // Too fast at first: the batches that were ready.
  auto series = SeriesMaker(4).autoregressive(300, 1, 0.02, 0.3);
  for (std::size_t i = 0; i < 16; ++i) series[i] = 0.1;
  const auto state = steady_state(series);
  EXPECT_EQ(state.verdict, Verdict::steady) << state.text();
  EXPECT_GE(state.begin, 15u);
  EXPECT_NEAR(mean(std::span(series).subspan(state.begin)), 1, 0.02);
}

TEST(SteadyState, AnExponentialWarmUpLeavesLittleBias) {
  auto series = SeriesMaker(9).autoregressive(500, 1, 0.03, 0.5);
  for (std::size_t i = 0; i < series.size(); ++i) series[i] += std::exp(-static_cast<double>(i) / 20);
  const auto state = steady_state(series);
  EXPECT_EQ(state.verdict, Verdict::steady) << state.text();
  EXPECT_NEAR(mean(std::span(series).subspan(state.begin)), 1, 0.015);
  EXPECT_GT(mean(series), 1.03) << "or there would be nothing to cut off";
}

TEST(SteadyState, NoiseAloneIsNotTakenForATrend) {
  for (const double rho : {0.0, 0.7}) {
    const auto noise = [&](std::uint64_t seed) { return SeriesMaker(seed).autoregressive(240, 1, 0.05, rho); };
    EXPECT_GT(share(Verdict::steady, noise), 0.90) << rho;
  }
  const auto few = [](std::uint64_t seed) { return SeriesMaker(seed).autoregressive(40, 1, 0.05, 0); };
  EXPECT_GT(share(Verdict::steady, few), 0.80) << "a trial of slow steps must be able to end";
}

TEST(SteadyState, ADriftIsSeen) {
  const auto drift = [](std::uint64_t seed) {
    auto series = SeriesMaker(seed).autoregressive(400, 1, 0.03, 0.3);
    for (std::size_t i = 0; i < series.size(); ++i) series[i] *= 1 + 0.10 * static_cast<double>(i) / 400;
    return series;
  };
  EXPECT_LT(share(Verdict::steady, drift), 0.10) << "a heating machine is not steady";
  const auto state = steady_state(drift(1));
  EXPECT_GT(state.change, 0.03);
  EXPECT_LT(state.p_value, 0.01);
}

TEST(SteadyState, AHarmlessDriftIsLetPassHoweverSignificant) {
  auto series = SeriesMaker(1).autoregressive(5000, 1, 0.005, 0);
  for (std::size_t i = 0; i < series.size(); ++i) series[i] *= 1 + 0.006 * static_cast<double>(i) / 5000;
  const auto state = steady_state(series);
  EXPECT_LT(state.p_value, 0.01);
  EXPECT_EQ(state.verdict, Verdict::steady) << state.text();
}

TEST(SteadyState, AWarmUpLongerThanHalfOfTheTrialIsNotSteady) {
  auto series = SeriesMaker(6).autoregressive(200, 1, 0.01, 0);
  for (std::size_t i = 0; i < 140; ++i) series[i] += 1;
  const auto state = steady_state(series);
  EXPECT_EQ(state.verdict, Verdict::warming_up) << state.text();
  EXPECT_NEAR(static_cast<double>(state.begin), 140, 5);
  EXPECT_NEAR(state.change, -0.5, 0.01);
}

TEST(SteadyState, TheRoundOfTheWorkersIsAPatternNotATrend) {
  // Eight workers in step: seven batches at once, then a wait.
  const auto rounds = [](std::uint64_t seed) {
    auto series = SeriesMaker(seed).autoregressive(163, 0, 0.02, 0);
    for (std::size_t i = 0; i < series.size(); ++i) series[i] += i % 8 == 7 ? 8.0 : 0.2;
    return series;
  };
  SteadyOptions options;
  options.cycle = 8;
  EXPECT_GT(share(Verdict::steady, rounds, options), 0.95);
  const auto state = steady_state(rounds(1), options);
  EXPECT_EQ(state.begin % 8, 0u) << "a window must not begin in the middle of a round";
  EXPECT_EQ(state.period, 8u);
}

TEST(SteadyState, APeriodNobodyToldAboutIsFound) {
  auto series = SeriesMaker(2).autoregressive(300, 0, 0.1, 0);
  for (std::size_t i = 0; i < series.size(); ++i) series[i] += i % 6 == 0 ? 3.0 : 1.0;
  EXPECT_EQ(steady_state(series).period, 6u);
  EXPECT_EQ(steady_state(SeriesMaker(2).autoregressive(300, 1, 0.1, 0)).period, std::nullopt);
  EXPECT_EQ(steady_state(SeriesMaker(2).autoregressive(300, 1, 0.1, 0.9)).period, std::nullopt) << "slow noise repeats nothing";
}

TEST(SteadyState, TooFewStepsAreSaidToBeTooFew) {
  EXPECT_EQ(steady_state({}).verdict, Verdict::too_few);
  EXPECT_EQ(steady_state(std::vector<double>(9, 1.0)).verdict, Verdict::too_few);
  SteadyOptions options;
  options.cycle = 32;
  EXPECT_EQ(steady_state(std::vector<double>(100, 1.0), options).verdict, Verdict::too_few);
  EXPECT_EQ(steady_state(std::vector<double>(128, 1.0), options).verdict, Verdict::steady);
}

TEST(VerdictAtEnd, NoiseAloneTurnsDownFewerThanOneWindowOfTwoHundred) {
  constexpr int windows = 1000;
  for (const std::size_t steps : {10u, 12u, 15u, 20u, 30u, 40u, 70u, 100u, 150u, 200u})
    for (const double rho : {0.0, 0.3}) {
      int turned_down = 0;
      for (std::uint64_t seed = 1; seed <= windows; ++seed) {
        const double deviation = seed % 3 == 0 ? 0.2 : seed % 3 == 1 ? 0.1 : 0.03;
        const auto series = SeriesMaker(seed * 1009 + steps).autoregressive(steps, 1, deviation, rho);
        // As a trial does: what is reported begins where the usual, stricter test says.
        const auto usual = steady_state(series);
        const std::size_t begin = usual.verdict == Verdict::warming_up ? 0 : usual.begin;
        const auto end = verdict_at_end(series, std::min(begin, steps - 10), 1);
        turned_down += end.verdict == Verdict::trend || end.verdict == Verdict::warming_up;
      }
      EXPECT_LE(turned_down, windows / 200) << steps << " steps, correlation " << rho;
    }
}

TEST(VerdictAtEnd, AMachineThatHeatsUpIsTurnedDown) {
  int turned_down = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    auto series = SeriesMaker(seed).autoregressive(120, 1, 0.03, 0.3);
    for (std::size_t i = 0; i < series.size(); ++i) series[i] *= 1 + 0.40 * static_cast<double>(i) / 120;
    turned_down += verdict_at_end(series, 0, 1).verdict == Verdict::trend;
  }
  EXPECT_GE(turned_down, 95);
}

TEST(VerdictAtEnd, AWarmUpThatEndsInTheSecondHalfIsTurnedDownAndAChangeOfTheNoiseIsNot) {
  int warm_up = 0, noise = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    auto series = SeriesMaker(seed).autoregressive(60, 1, 0.03, 0);
    for (std::size_t i = 0; i < 42; ++i) series[i] += 0.5;
    warm_up += verdict_at_end(series, 0, 1).verdict == Verdict::warming_up;
    auto calmer = SeriesMaker(seed).autoregressive(60, 1, 0.02, 0);
    for (std::size_t i = 0; i < 42; ++i) calmer[i] = 1 + 5 * (calmer[i] - 1);
    noise += verdict_at_end(calmer, 0, 1).verdict == Verdict::steady;
  }
  EXPECT_GE(warm_up, 95);
  EXPECT_GE(noise, 98) << "the same level throughout";
}

TEST(VerdictAtEnd, AChangeTooSmallToMatterPassesHoweverSure) {
  auto series = SeriesMaker(3).autoregressive(400, 1, 0.002, 0);
  for (std::size_t i = 0; i < series.size(); ++i) series[i] *= 1 + 0.04 * static_cast<double>(i) / 400;
  EXPECT_EQ(verdict_at_end(series, 0, 1).verdict, Verdict::steady);
}

TEST(SteadyState, AModelledTimelineWithoutAnyNoiseIsSteadyFromTheStart) {
  const auto state = steady_state(std::vector<double>(100, 0.085));
  EXPECT_EQ(state.verdict, Verdict::steady);
  EXPECT_EQ(state.begin, 0u);
  EXPECT_EQ(state.change, 0);
}
