// Device memory that isn't there still runs out where the real one would: else a plan for a card would not fit it.

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "core/error.hpp"
#include "device/null/null_device.hpp"
#include "device/registered_allocator.hpp"
#include "virtual_fixture.hpp"

using namespace feedtune;
using feedtune::testing::round_profile;
using feedtune::testing::VirtualFixture;

namespace {

DeviceProfile profile_of(std::size_t bytes) {
  DeviceProfile profile = round_profile();
  profile.memory_gb.value = static_cast<double>(bytes) * 1e-9;
  return profile;
}

}  // namespace

TEST(VirtualMemory, TheLastByteFitsAndTheNextDoesNot) {
  VirtualFixture f(profile_of(10'240));
  DeviceMemory& memory = f.device->memory();
  const DeviceBuffer most = memory.allocate(10'240 - 512);
  DeviceBuffer rest = memory.allocate(512);
  EXPECT_EQ(memory.used_bytes(), 10'240u);
  EXPECT_THROW(memory.allocate(1), OutOfMemory);
  rest = {};
  try {
    memory.allocate(513);
    FAIL() << "513 bytes take 768, and 512 are left";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.where(), MemoryKind::device);
    EXPECT_EQ(error.requested_bytes(), 513u);
    EXPECT_EQ(error.limit_bytes(), 10'240u);
  }
  EXPECT_NO_THROW(memory.allocate(512));
}

TEST(VirtualMemory, RegisteredMemoryCountsAsPinnedUntilItIsGivenBack) {
  VirtualFixture f;
  DeviceMemory& memory = f.device->memory();
  const auto pinned = memory.host(HostMemory::pinned);
  RegisteredAllocator registered(memory);
  HostBuffer one = registered.allocate(5000);
  EXPECT_EQ(one.kind(), HostMemory::pinned) << "its copies are modelled as pinned ones";
  EXPECT_EQ(pinned->allocated_bytes(), 8192u);
  EXPECT_EQ(registered.allocated_bytes(), 8192u);
  one = {};
  EXPECT_EQ(pinned->allocated_bytes(), 0u);
  EXPECT_EQ(memory.host(HostMemory::pageable)->allocated_bytes(), 0u);
}

TEST(VirtualMemory, SizesRoundUpTo256AndThePeakStays) {
  VirtualFixture f;
  DeviceMemory& memory = f.device->memory();
  {
    const DeviceBuffer one = memory.allocate(1);
    const DeviceBuffer more = memory.allocate(257);
    EXPECT_EQ(one.size(), 1u);
    EXPECT_EQ(memory.used_bytes(), 256u + 512u);
  }
  EXPECT_EQ(memory.used_bytes(), 0u);
  EXPECT_EQ(memory.peak_bytes(), 768u);
  EXPECT_EQ(memory.limit_bytes(), 1'000'000u);
}

TEST(VirtualMemory, AnAbsurdSizeIsOutOfMemoryNotAWrapAround) {
  VirtualFixture f;
  EXPECT_THROW(f.device->memory().allocate(std::numeric_limits<std::size_t>::max()), OutOfMemory);
  EXPECT_THROW(f.device->memory().allocate(std::numeric_limits<std::size_t>::max() - 255), OutOfMemory);
  const auto unlimited = make_null_device(std::make_shared<ManualClock>());
  EXPECT_THROW(unlimited->memory().allocate(std::numeric_limits<std::size_t>::max()), OutOfMemory);
  EXPECT_EQ(f.device->memory().used_bytes(), 0u);
}

TEST(VirtualMemory, AddressesAreNotNullAlignedAndApart) {
  VirtualFixture f;
  std::vector<DeviceBuffer> blocks;
  std::uintptr_t end = 1;
  for (std::size_t bytes : {1u, 256u, 1000u, 3u}) {
    blocks.push_back(f.device->memory().allocate(bytes));
    const auto address = reinterpret_cast<std::uintptr_t>(blocks.back().address());
    EXPECT_GE(address, end);
    EXPECT_EQ(address % 256, 0u);
    end = address + bytes;
  }
  EXPECT_EQ(f.device->memory().allocate(0).size(), 0u);
}

TEST(VirtualMemory, ABlockMayOutliveItsDevice) {
  DeviceBuffer block;
  {
    VirtualFixture f;
    block = f.device->memory().allocate(1000);
  }
  EXPECT_EQ(block.size(), 1000u);
  block = {};  // gives the bytes back to a pool whose device is gone: a use after free is the sanitizers' to find
  EXPECT_EQ(block.size(), 0u);
}

TEST(VirtualMemory, HostBuffersComeInTheKindThatWasAskedFor) {
  VirtualFixture f;
  for (const HostMemory kind : {HostMemory::pageable, HostMemory::pinned}) {
    const auto allocator = f.device->memory().host(kind);
    EXPECT_EQ(allocator->kind(), kind);
    EXPECT_EQ(allocator->allocate(100).kind(), kind);
  }
}

TEST(VirtualDevice, SaysThatItIsModelledAndWhatItCanDo) {
  VirtualFixture f;
  const DeviceFacts& facts = f.device->facts();
  EXPECT_EQ(facts.name, "virtual:round");
  EXPECT_EQ(facts.title, "Round figures");
  EXPECT_TRUE(facts.modelled);
  EXPECT_TRUE(facts.copies);
  EXPECT_FALSE(facts.fake);
  EXPECT_EQ(facts.memory_bytes, 1'000'000);
  EXPECT_EQ(facts.precisions, (std::vector<std::string>{"fp32", "fp16"}));
}

TEST(NullDevice, TakesNoTimeAndSaysThatItsResultsAreModelled) {
  const auto clock = std::make_shared<ManualClock>();
  const auto device = make_null_device(clock);
  EXPECT_FALSE(device->facts().fake) << "that is the tests' GPU, which recommend refuses";
  EXPECT_TRUE(device->facts().modelled);
  const auto stream = device->create_stream();
  const auto event = device->create_event();
  const auto buffer = device->memory().host(HostMemory::pageable)->allocate(8 << 20);
  stream->copy_to_device(nullptr, buffer.bytes(), HostMemory::pageable);
  stream->copy_to_device(nullptr, buffer.bytes(), HostMemory::pinned);
  device->math().gemm(*stream, {.m = 4096, .n = 4096, .k = 4096, .a = {}, .b = {}, .c = {}});
  timed_work(*device)->occupy(*stream, std::chrono::seconds(1));
  stream->record(*event);
  event->synchronize();
  EXPECT_EQ(clock->now(), Nanoseconds{0});
  EXPECT_EQ(event->time(), Nanoseconds{0});
  EXPECT_EQ(device->memory().host(HostMemory::pinned)->allocated_bytes(), 0u);
}
