// The measurements themselves, on a modelled device whose figures are known, on a clock that only it moves.

#include "calibrate/measure_rates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/make_profile.hpp"
#include "calibrate/stopwatch.hpp"
#include "device/virtual_fixture.hpp"
#include "measure/statistics.hpp"

using namespace feedtune;
using feedtune::testing::VirtualFixture;
using ::testing::Contains;
using ::testing::HasSubstr;

namespace {

DeviceProfile large_profile() {
  DeviceProfile profile = feedtune::testing::round_profile();
  profile.memory_gb.value = 16;
  return profile;
}

RatesRequest pico_request() {
  RatesRequest request;
  request.steps = {{.model = "mixer-pico", .precision = Precision::fp16, .image_size = 32, .batch_size = 4}};
  return request;
}

/// A host that computes while it waits, or sleeps.
DeviceRates rates_of(VirtualFixture& f, bool spins = true) {
  const auto cpu = [&] { return spins ? f.clock->now() : Nanoseconds{0}; };
  return measure_rates(*f.device, *f.clock, pico_request(), cpu);
}

}  // namespace

TEST(MeasureRates, FindTheFiguresThatTheDeviceWasMadeOf) {
  VirtualFixture f(large_profile());
  const DeviceRates rates = rates_of(f);
  EXPECT_NEAR(median(rates.launch_us), 5, 0.01);
  EXPECT_NEAR(median(rates.kernel_gap_us), 1, 0.05);
  EXPECT_NEAR(median(rates.streaming_gb_s), 100, 1) << "a gap of 1 us beside kernels of milliseconds, less one launch";
  EXPECT_EQ(rates.memory_bytes, 16'000'000'000);
  EXPECT_EQ(median(rates.wait_cpu_share), 1);
  EXPECT_TRUE(rates.notes.empty()) << rates.notes.front();
  // fp16: 10e12 FLOP/s at half efficiency, for the sizes that arithmetic and not memory binds.
  const SizeTimes& gemm = rates.gemms.at("fp16").back();
  EXPECT_NEAR(gemm.size / median(gemm.us) * 1e6, 5e12, 5e10);
  EXPECT_EQ(rates.gemms.size(), 2u) << "every precision that the device has";
}

TEST(MeasureRates, WhatTheStreamingKernelMovesIsNotReadTwiceFromACache) {
  VirtualFixture f(large_profile());
  const std::uint64_t before = f.device->memory().used_bytes();
  Stopwatch watch(*f.device, *f.clock);
  EXPECT_GE(static_cast<double>(f.device->memory().used_bytes() - before), watch.streaming_bytes()) << "every byte that counts is a byte of its own";
}

TEST(MeasureRates, TheDeviceIsUnderLoadBeforeAnythingIsTimed) {
  VirtualFixture f(large_profile());
  const Nanoseconds begin = f.clock->now();
  std::optional<Nanoseconds> first;
  RatesRequest request = pico_request();
  request.seconds = 20;
  // The CPU time is first asked for in the measurements that follow the warm-up.
  (void)measure_rates(*f.device, *f.clock, request, [&] {
    if (!first) first = f.clock->now();
    return Nanoseconds{0};
  });
  ASSERT_TRUE(first);
  EXPECT_GT(to_s(*first - begin), 0.5);
}

TEST(MeasureRates, EveryFigureIsMeasuredInRoundsSoThatASlowMinuteDoesNotHitOneAlone) {
  VirtualFixture f(large_profile());
  // The CPU time is asked for twice in each round: copies, products and submissions then lie between the rounds' kernels.
  std::vector<Nanoseconds> asked;
  const DeviceRates rates = measure_rates(*f.device, *f.clock, pico_request(), [&] {
    asked.push_back(f.clock->now());
    return Nanoseconds{0};
  });
  ASSERT_EQ(asked.size(), 6u);
  double copies_us = 0;
  for (const auto& [memory, sizes] : rates.copies)
    for (const SizeTimes& size : sizes) {
      EXPECT_GE(size.us.size(), 3u) << memory << " " << size.size;
      copies_us += size.us.front();
    }
  for (const auto& [precision, sizes] : rates.gemms)
    for (const SizeTimes& size : sizes) EXPECT_EQ(size.us.size(), 3u) << precision << " " << size.size;
  for (const std::size_t round : {2, 4}) EXPECT_GT(to_ms(asked[round] - asked[round - 1]) * 1e3, copies_us) << "a round of copies, at least, lies between";
}

TEST(MeasureRates, ACopysLatencyAndRateComeOutOfItsFit) {
  VirtualFixture f(large_profile());
  ProfileInput input;
  input.name = "x";
  input.origin = "a test";
  input.rates = rates_of(f);
  for (const int batch : {4, 8, 16}) {
    MeasuredStep& step = input.steps.steps.emplace_back();
    step.model = "mixer-pico";
    step.image_size = 32;
    step.precision = Precision::fp16;
    step.batch_size = batch;
    step.forward_ms = step.backward_ms = step.update_ms = {1.0 * batch};
  }
  std::vector<std::string> notes;
  const DeviceProfile profile = make_profile(input, notes);
  EXPECT_NEAR(profile.pinned_h2d_gb_s->value, 10, 0.01);
  EXPECT_NEAR(profile.copy_latency_us.value, 10, 0.05);
  EXPECT_NEAR(profile.pageable_h2d_gb_s.value, 5, 0.01) << "staging takes no time on this clock, so the link is all there is";
  EXPECT_NEAR(profile.peak_tflops.at("fp16").value, 5, 0.05);
  ASSERT_EQ(profile.copies.size(), 2u);
  for (const CopyCurve& curve : profile.copies) {
    EXPECT_EQ(curve.points.size(), 7u) << "64 KiB to 256 MiB, without the one held out";
    ASSERT_TRUE(curve.hold_out);
    EXPECT_EQ(curve.hold_out->at, 32 << 20);
    EXPECT_NEAR(curve.hold_out->misfit, 0, 0.002);
  }
  EXPECT_EQ(profile.host_wait, HostWait::spin);
  EXPECT_EQ(make_profile([&] { input.rates.wait_cpu_share = {0.01, 0.02, 0.9}; return input; }(), notes).host_wait, HostWait::block);
}

TEST(MeasureRates, AStepsSubmissionIsItsLaunches) {
  VirtualFixture f(large_profile());
  const DeviceRates rates = rates_of(f);
  ASSERT_EQ(rates.submit_ms.size(), 1u);
  // Each kernel of the step costs 5 us to submit and nothing else takes time here: a whole number of launches, dozens of them.
  const double submissions = median(rates.submit_ms[0]) / 0.005;
  EXPECT_NEAR(submissions, std::round(submissions), 1e-6);
  EXPECT_GT(submissions, 30);
}

TEST(MeasureRates, WhatDoesNotFitInASmallDeviceIsLeftOutAndSaid) {
  DeviceProfile profile = large_profile();
  profile.memory_gb.value = 0.1;
  VirtualFixture f(profile);
  RatesRequest request = pico_request();
  request.steps.push_back({.model = "mixer-b16", .precision = Precision::fp16, .image_size = 224, .batch_size = 64});
  const DeviceRates rates = measure_rates(*f.device, *f.clock, request, [] { return Nanoseconds{0}; });
  EXPECT_LE(rates.copies.at("pinned").back().size, 100e6);
  ASSERT_EQ(rates.submit_ms.size(), 2u);
  EXPECT_FALSE(rates.submit_ms[0].empty());
  EXPECT_TRUE(rates.submit_ms[1].empty());
  EXPECT_THAT(rates.notes, Contains(HasSubstr("mixer-b16 fp16 batch_size 64: ")));
}
