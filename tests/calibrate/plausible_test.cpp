#include "calibrate/plausible.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace feedtune;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

Figure figure(double value) { return {.value = value, .provenance = {.kind = Provenance::Kind::datasheet, .source = "x", .low = value / 2, .high = value}}; }

DeviceProfile profile(double scale) {
  DeviceProfile made;
  made.name = "card";
  made.peak_tflops = {{"fp32", figure(10 * scale)}, {"fp16", figure(100 * scale)}};
  made.memory_bandwidth_gb_s = figure(500 * scale);
  made.pinned_h2d_gb_s = figure(24 * scale);
  return made;
}

}  // namespace

TEST(Plausible, RatesBetweenThreeTenthsAndElevenTenthsOfThePublishedOnesAreNotDoubted) {
  for (const double scale : {0.31, 0.7, 1.0, 1.09}) EXPECT_THAT(implausible(profile(scale), profile(1)), IsEmpty()) << scale;
}

TEST(Plausible, ARateThatNoSuchGpuReachesOrThatIsFarBelowItIsNamed) {
  EXPECT_EQ(implausible(profile(1.11), profile(1)).size(), 4u);
  EXPECT_EQ(implausible(profile(0.29), profile(1)).size(), 4u);
  DeviceProfile one = profile(1);
  one.peak_tflops["fp16"].value = 25;
  EXPECT_THAT(implausible(one, profile(1)), ElementsAre(HasSubstr("GEMM in fp16, TFLOP/s: 25 measured, 0.25 times the most that is published (100, profile card)")));
}

TEST(Plausible, WhatEitherSideLacksIsNotJudged) {
  DeviceProfile measured = profile(5);
  measured.peak_tflops = {{"bf16", figure(1)}};
  measured.memory_bandwidth_gb_s = figure(500);
  measured.pinned_h2d_gb_s.reset();
  EXPECT_THAT(implausible(measured, profile(1)), IsEmpty());
}
