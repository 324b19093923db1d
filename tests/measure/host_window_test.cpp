#include "measure/host_window.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <thread>

using namespace feedtune;
using namespace std::chrono_literals;

namespace {

HostCounters counters(double user, double system, std::int64_t switches, std::map<std::int64_t, double> delays) {
  HostCounters result;
  result.cpu_user_s = user;
  result.cpu_system_s = system;
  result.voluntary_switches = switches;
  result.run_delay_s = std::move(delays);
  return result;
}

}  // namespace

TEST(HostUse, IsTheDifferenceOfTwoReadings) {
  std::map<std::string, std::string> unknown;
  const auto use = host_use_between(counters(1, 0.5, 100, {{1, 2.0}}), counters(3.5, 1, 160, {{1, 2.25}}), unknown);
  EXPECT_EQ(use.cpu_user_s, 2.5);
  EXPECT_EQ(use.cpu_system_s, 0.5);
  EXPECT_EQ(use.voluntary_switches, 60);
  EXPECT_EQ(use.run_delay_s, 0.25);
  EXPECT_EQ(use.major_faults, std::nullopt) << "not read is not zero";
  EXPECT_TRUE(unknown.empty());
}

TEST(HostUse, ThreadsThatCameWentOrReuseANumberDoNotSpoilTheRunDelay) {
  std::map<std::string, std::string> unknown;
  const auto use = host_use_between(counters(0, 0, 0, {{1, 2.0}, {2, 50.0}, {3, 9.0}}),
                                    counters(0, 0, 0, {{1, 2.5}, {3, 0.25}, {4, 1.0}}), unknown);
  EXPECT_EQ(use.run_delay_s, 0.5 + 0.25 + 1.0);
}

TEST(HostUse, AReasonStandsForWhatIsAbsent) {
  HostCounters start, end;
  start.unknown["throttled_s"] = "no control group";
  end.throttled_s = 4;
  std::map<std::string, std::string> unknown;
  EXPECT_EQ(host_use_between(start, end, unknown).throttled_s, std::nullopt);
  EXPECT_EQ(unknown.at("throttled_s"), "no control group");
}

TEST(HostWindow, SamplesAreAveragedAndCostIsPerImage) {
  int reading = 0;
  std::atomic<int> samples{0};
  HostWindow window({.counters = [&] { return counters(reading++ * 8.0, 0, 0, {}); },
                     .sample =
                         [&] {
                           HostSample sample;
                           sample.runnable_threads = samples++ % 2 == 0 ? 2 : 4;
                           sample.unknown["cpu_mhz"] = "a guest";
                           return sample;
                         }});
  window.start();
  while (samples < 2) std::this_thread::sleep_for(1ms);
  std::map<std::string, std::string> unknown;
  const auto use = window.stop(1000, unknown);
  EXPECT_EQ(use.cpu_s_per_image, 0.008);
  EXPECT_GE(*use.runnable_threads, 2);
  EXPECT_LE(*use.runnable_threads, 4);
  EXPECT_EQ(use.cpu_mhz, std::nullopt);
  EXPECT_EQ(unknown.at("cpu_mhz"), "a guest");
  EXPECT_FALSE(unknown.contains("runnable_threads"));
}

TEST(HostWindow, ASecondWindowForgetsTheFirst) {
  int reading = 0;
  HostWindow window({.counters = [&] { return counters(reading++, 0, 0, {}); }, .sample = {}});
  std::map<std::string, std::string> unknown;
  window.start();
  window.start();
  const auto use = window.stop(0, unknown);
  EXPECT_EQ(use.cpu_user_s, 1);
  EXPECT_EQ(use.cpu_s_per_image, std::nullopt);
  EXPECT_EQ(unknown.at("cpu_s_per_image"), "no image was counted");
  EXPECT_TRUE(unknown.contains("runnable_threads"));
}

TEST(BackgroundSampler, NeverMoreThanTwentyTimesASecond) {
  std::atomic<int> calls{0};
  {
    BackgroundSampler sampler([&] { ++calls; }, 0ms);
    std::this_thread::sleep_for(300ms);
  }
  const int at_end = calls;
  EXPECT_GE(at_end, 1);
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(calls, at_end) << "it went on after its end";
}

TEST(BackgroundSampler, AnExpensiveSampleIsTakenRarely) {
  // 20 ms of CPU a call at 0.4 % means one call in 5 s.
  std::atomic<int> calls{0};
  const auto burn = [&] {
    ++calls;
    const std::clock_t start = std::clock();
    while (std::clock() - start < CLOCKS_PER_SEC / 50) {
    }
  };
  BackgroundSampler sampler(burn, 50ms);
  std::this_thread::sleep_for(600ms);
  EXPECT_EQ(calls, 1);
}
