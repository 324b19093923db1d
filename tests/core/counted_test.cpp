#include "core/counted.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace feedtune;

TEST(Counted, OneIsNotManyAndThousandsCanBeRead) {
  EXPECT_EQ(counted(0, "trial"), "0 trials");
  EXPECT_EQ(counted(1, "trial"), "1 trial");
  EXPECT_EQ(counted(2000, "image"), "2,000 images");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'281'167), "1,281,167");
  EXPECT_EQ(count_text(-123'456), "-123,456");
  EXPECT_EQ(count_text(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}
