#include "measure/level_shift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace feedtune;

namespace {

std::vector<LevelShift> shifts_of(const std::vector<double>& values, double own_sd) {
  LevelWatch watch;
  std::vector<LevelShift> found;
  for (const double value : values)
    if (const auto shift = watch.tell(std::log(value), own_sd)) found.push_back(*shift);
  return found;
}

}  // namespace

TEST(LevelWatch, NamesWhereALevelBeganAndWhatItWas) {
  const auto found = shifts_of({100, 101, 99, 100, 90, 90, 91, 90, 120, 120}, 0.005);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].begin, 4u);
  EXPECT_NEAR(std::exp(found[0].before), 100, 0.01);
  EXPECT_NEAR(std::exp(found[0].after), 90, 0.01);
  EXPECT_GE(found[0].sd, 0.005);
  EXPECT_EQ(found[1].begin, 8u) << "counted from the first value of all";
  EXPECT_NEAR(std::exp(found[1].before), 90, 0.01);
}

TEST(LevelWatch, ASpikeANoisyLevelAndTwoValuesAreNoShift) {
  EXPECT_TRUE(shifts_of({100, 101, 99, 100, 80, 100, 101, 100, 99}, 0.005).empty());
  EXPECT_TRUE(shifts_of({100, 90, 110, 95, 105, 108, 107}, 0.005).empty()) << "within 3 standard deviations";
  EXPECT_TRUE(shifts_of({100, 100, 100, 90, 90}, 0.05).empty()) << "each value is itself uncertain by 5 %";
  EXPECT_TRUE(shifts_of({100, 100, 90, 90}, 0.001).empty()) << "two earlier values say too little";
}
