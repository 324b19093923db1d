#include "search/memory_dominance.hpp"

#include <gtest/gtest.h>

using namespace feedtune;

namespace {

Configuration configuration(std::int64_t batch, std::int64_t workers, const char* input, const char* transfer) {
  Configuration c;
  c.set("batch_size", batch);
  c.set("num_workers", workers);
  c.set("input_type", input);
  c.set("transfer", transfer);
  c.set("precision", "fp16");
  return c;
}

MemoryDominance after(const Configuration& failed, MemoryKind kind) {
  TrialResult result;
  result.configuration = failed;
  result.status = TrialStatus::out_of_memory;
  result.memory_kind = kind;
  MemoryDominance memory;
  memory.tell(result);
  return memory;
}

}  // namespace

TEST(MemoryDominance, DeviceMemoryIsUpToBatchInputAndBuffersOnly) {
  const MemoryDominance memory = after(configuration(128, 4, "uint8", "blocking"), MemoryKind::device);
  EXPECT_TRUE(memory.ran_out(configuration(128, 0, "uint8", "blocking")));
  EXPECT_TRUE(memory.ran_out(configuration(256, 8, "uint8", "blocking")));
  EXPECT_TRUE(memory.ran_out(configuration(128, 4, "float32", "overlapped")));
  EXPECT_FALSE(memory.ran_out(configuration(64, 4, "float32", "overlapped")));
  Configuration wider = configuration(256, 4, "uint8", "blocking");
  wider.set("precision", "fp32");
  EXPECT_FALSE(memory.ran_out(wider)) << "nothing is assumed about another precision";
  Configuration other = configuration(256, 4, "uint8", "blocking");
  other.set("devices", std::int64_t{2});
  EXPECT_FALSE(memory.ran_out(other)) << "nothing is assumed about an axis not heard of";
  EXPECT_FALSE(after(configuration(128, 4, "float32", "overlapped"), MemoryKind::device)
                   .ran_out(configuration(128, 4, "uint8", "overlapped")));
}

TEST(MemoryDominance, HostMemoryIsUpToTheBatchesHeld) {
  for (const MemoryKind kind : {MemoryKind::host, MemoryKind::pinned}) {
    const MemoryDominance memory = after(configuration(128, 4, "uint8", "blocking"), kind);
    EXPECT_TRUE(memory.ran_out(configuration(128, 8, "uint8", "blocking")));
    EXPECT_FALSE(memory.ran_out(configuration(512, 2, "uint8", "blocking")));
  }
}

TEST(MemoryDominance, OnlyOutOfMemorySaysAnything) {
  TrialResult result;
  result.configuration = configuration(128, 4, "uint8", "blocking");
  result.status = TrialStatus::crashed;
  MemoryDominance memory;
  memory.tell(result);
  EXPECT_FALSE(memory.ran_out(result.configuration));
}
