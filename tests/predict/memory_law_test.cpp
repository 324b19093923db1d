#include "predict/memory_law.hpp"

#include <gtest/gtest.h>

using namespace feedtune;

namespace {

TrialResult trial(std::int64_t batch, std::int64_t workers, const char* type, std::int64_t peak) {
  TrialResult t;
  t.configuration.set("batch_size", batch);
  t.configuration.set("num_workers", workers);
  t.configuration.set("input_type", type);
  t.memory.device_peak_bytes = peak;
  t.memory.device_limit_bytes = 10'000;
  return t;
}

}  // namespace

TEST(MemoryLaw, TwoBatchSizesTellWhatALargerOneTakesWhateverTheWorkers) {
  MemoryLaw law;
  law.tell(trial(16, 1, "uint8", 1000 + 16 * 20));
  EXPECT_FALSE(law.device_share(trial(256, 4, "uint8", 0).configuration)) << "one size alone says nothing of another";
  law.tell(trial(64, 2, "uint8", 1000 + 64 * 20));
  ASSERT_TRUE(law.device_share(trial(256, 4, "uint8", 0).configuration));
  EXPECT_NEAR(*law.device_share(trial(256, 4, "uint8", 0).configuration), 0.612, 1e-6);
  EXPECT_FALSE(law.device_share(trial(256, 4, "float32", 0).configuration)) << "another type takes other memory";
}

TEST(MemoryLaw, WhatWasMeasuredItselfIsTakenAsMeasured) {
  MemoryLaw law;
  law.tell(trial(16, 1, "uint8", 2000));
  law.tell(trial(64, 1, "uint8", 9500));
  EXPECT_DOUBLE_EQ(*law.device_share(trial(64, 8, "uint8", 0).configuration), 0.95);
}
