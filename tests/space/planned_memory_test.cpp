#include "space/planned_memory.hpp"

#include <gtest/gtest.h>

using namespace feedtune;

TEST(PlannedMemory, CountsTheSlotsOfEachLoader) {
  TrialSetup setup;
  setup.data.image_size = 224;
  setup.loader.batch_size = 256;
  setup.loader.num_workers = 32;
  setup.loader.prefetch = 2;
  setup.loader.input_type = InputType::float32;
  const std::uint64_t batch = 256ull * 3 * 224 * 224 * 4;
  EXPECT_EQ(planned_host_bytes(setup), (32 * 2 + 3) * batch);
  setup.loader.host_memory = HostMemory::pinned;
  EXPECT_EQ(planned_host_bytes(setup), (32 * 2 + 3 + 32) * batch) << "the pin thread's sources come on top";
  setup.loader.kind = LoaderKind::pooled;
  setup.loader.input_type = InputType::uint8;
  EXPECT_EQ(planned_host_bytes(setup), (4 + 3) * batch / 4);
  setup.loader.num_workers = 0;
  EXPECT_EQ(planned_host_bytes(setup), 4 * batch / 4);
}
