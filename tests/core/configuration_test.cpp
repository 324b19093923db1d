#include "core/configuration.hpp"

#include <gtest/gtest.h>

#include "core/enums.hpp"
#include "core/error.hpp"
#include "core/host_buffer.hpp"
#include "core/trial_status.hpp"

using namespace feedtune;

TEST(Configuration, SameSettingsInAnyOrderAreTheSamePoint) {
  Configuration a, b;
  a.set("num_workers", std::int64_t{2});
  a.set("host_memory", std::string("pinned"));
  b.set("host_memory", std::string("pinned"));
  b.set("num_workers", std::int64_t{2});
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.key(), "host_memory=pinned,num_workers=2");
}

TEST(Configuration, AskingForTheWrongTypeGivesNothing) {
  Configuration a;
  a.set("num_workers", std::int64_t{2});
  EXPECT_EQ(a.integer("num_workers"), 2);
  EXPECT_EQ(a.text("num_workers"), std::nullopt);
  EXPECT_EQ(a.integer("absent"), std::nullopt);
}

TEST(Enums, EveryNameReadsBackAndUnknownOnesDoNot) {
  for (const auto& [value, name] : enum_names<TrialStatus>()) EXPECT_EQ(enum_from_text<TrialStatus>(name), value);
  for (const auto& [value, name] : enum_names<LoaderKind>()) EXPECT_EQ(to_text(value), name);
  EXPECT_EQ(enum_from_text<HostMemory>("pined"), std::nullopt);
  EXPECT_EQ(accepted_names<HostMemory>(), "pageable, pinned");
}

TEST(Errors, OutOfMemoryNamesWhoseMemoryAndTheLimit) {
  const OutOfMemory error(MemoryKind::device, 4096, 1024);
  EXPECT_EQ(error.status(), TrialStatus::out_of_memory);
  EXPECT_STREQ(error.what(), "out of device memory: asked for 4096 bytes, limit 1024 bytes");
}

TEST(HostBuffer, ReturnsItsMemoryExactlyOnceThroughMoves) {
  int returned = 0;
  char block[16];
  {
    HostBuffer a(block, sizeof block, HostMemory::pinned, [&](void*, std::size_t bytes) {
      EXPECT_EQ(bytes, sizeof block);
      ++returned;
    });
    HostBuffer b(std::move(a));
    HostBuffer c;
    c = std::move(b);
    EXPECT_TRUE(c);
    EXPECT_EQ(c.kind(), HostMemory::pinned);
    EXPECT_EQ(returned, 0);
  }
  EXPECT_EQ(returned, 1);
}
