// Copies to the modelled device: pinned ones leave the host alone, pageable ones really cost it a memcpy.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <vector>

#include "core/error.hpp"
#include "device/virtual/cost_model.hpp"
#include "device/host_allocators.hpp"
#include "device/virtual/staging.hpp"
#include "virtual_fixture.hpp"

using namespace feedtune;
using feedtune::testing::us;
using feedtune::testing::VirtualFixture;

namespace {

constexpr std::size_t chunk = PageableStaging::chunk_bytes;

struct Staged {
  Nanoseconds arrived;
  Nanoseconds returned;
};

/// Stages `source` on a manual clock: each chunk costs the host `host` and the link `link`, in proportion to its bytes.
/// `seen` gets what passed through the ring.
Staged stage(std::span<const std::byte> source, Nanoseconds host, Nanoseconds link, Nanoseconds start = {},
             std::vector<std::byte>* seen = nullptr) {
  const auto clock = std::make_shared<ManualClock>();
  Timeline timeline(clock, HostWait::spin, Nanoseconds{0});
  const auto share = [](Nanoseconds whole, std::size_t bytes) {
    return Nanoseconds{whole.count() * static_cast<std::int64_t>(bytes) / static_cast<std::int64_t>(chunk)};
  };
  Staged result;
  PageableStaging staging(std::make_shared<LockedAllocator>(), [&](std::byte* to, const std::byte* from, std::size_t bytes) {
    if (seen != nullptr) {
      std::memcpy(to, from, bytes);
      seen->insert(seen->end(), to, to + bytes);
    }
    clock->advance(share(host, bytes));
  });
  result.arrived = staging.copy(timeline, source, start, [&](std::size_t bytes) { return share(link, bytes); });
  result.returned = clock->now();
  return result;
}

}  // namespace

TEST(VirtualCopy, FromPinnedMemoryTheHostGoesOnAtOnce) {
  VirtualFixture f;
  const auto buffer = f.device->memory().host(HostMemory::pinned)->allocate(10'000'000);
  f.stream->copy_to_device(nullptr, buffer.bytes(), HostMemory::pinned);
  EXPECT_EQ(f.clock->now(), us(5));
  EXPECT_EQ(f.end_of(*f.stream), us(5 + 10 + 1000));
}

TEST(VirtualCopy, FromPageableMemoryTheHostIsHeldUntilTheRestFitsTheStagingRing) {
  VirtualFixture f;
  const auto buffer = f.device->memory().host(HostMemory::pageable)->allocate(16 * chunk);
  f.stream->copy_to_device(nullptr, buffer.bytes(), HostMemory::pageable);
  // 512 KiB at 5 bytes/ns are 104,857.6 ns, rounded to 104,858 a chunk.
  constexpr Nanoseconds one{104'858};
  EXPECT_EQ(f.end_of(*f.stream), us(15) + 16 * one);
  EXPECT_EQ(f.clock->now(), us(15) + 12 * one);
}

TEST(VirtualCopy, ASmallPageableCopyOnlyCostsItsStaging) {
  VirtualFixture f;
  const auto buffer = f.device->memory().host(HostMemory::pageable)->allocate(100'000);
  f.stream->copy_to_device(nullptr, buffer.bytes(), HostMemory::pageable);
  EXPECT_EQ(f.clock->now(), us(5));
  EXPECT_EQ(f.end_of(*f.stream), us(5 + 10 + 20));
}

TEST(VirtualCopy, PageableAndPinnedCopiesShareOneLink) {
  VirtualFixture f;
  const auto other = f.device->create_stream();
  const auto buffer = f.device->memory().host(HostMemory::pinned)->allocate(100'000);
  f.stream->copy_to_device(nullptr, buffer.bytes(), HostMemory::pinned);
  other->copy_to_device(nullptr, buffer.bytes(), HostMemory::pageable);
  EXPECT_EQ(f.end_of(*other), us(25 + 10 + 20));
  f.stream->copy_to_device(nullptr, buffer.bytes(), HostMemory::pinned);
  EXPECT_EQ(f.end_of(*f.stream), us(55 + 10 + 10));
}

TEST(VirtualCopy, AnEmptyBatchCostsTheLatencyAlone) {
  VirtualFixture f;
  f.stream->copy_to_device(nullptr, {}, HostMemory::pageable);
  EXPECT_EQ(f.end_of(*f.stream), us(15));
}

TEST(VirtualCopy, EveryByteOfAPageableSourceIsReallyRead) {
  std::vector<std::byte> source(5 * chunk + 12'345);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 2654435761u >> 16);
  std::vector<std::byte> seen;
  stage(source, us(1), us(1), {}, &seen);
  EXPECT_TRUE(seen == source);
}

TEST(VirtualCopy, AKindOfMemoryThatCouldNotBeMeasuredIsUnsupportedAndNotGuessed) {
  DeviceProfile profile = feedtune::testing::round_profile();
  profile.pinned_h2d_gb_s.reset();
  const ProfileCosts costs(profile);
  EXPECT_EQ(costs.link(5000, HostMemory::pageable), Nanoseconds{1000}) << "5 bytes a nanosecond";
  try {
    (void)costs.link(5000, HostMemory::pinned);
    FAIL() << "a rate was guessed";
  } catch (const TrialFailure& failure) {
    EXPECT_EQ(failure.status(), TrialStatus::unsupported);
  }
}

TEST(VirtualCopy, ASlowHostOrASlowLinkDecidesNeverTheirSum) {
  const std::vector<std::byte> source(20 * chunk);
  EXPECT_EQ(stage(source, us(300), us(100)).arrived, 20 * us(300));
  EXPECT_EQ(stage(source, us(100), us(300)).arrived, 20 * us(300));
  EXPECT_EQ(stage(source, us(200), us(200)).arrived, 20 * us(200));
}

TEST(VirtualCopy, WhileTheLinkIsBusyTheHostFillsTheRingAndThenWaits) {
  const std::vector<std::byte> source(8 * chunk);
  const Staged late_link = stage(source, us(10), us(50), us(1000));
  EXPECT_EQ(late_link.arrived, us(1000 + 8 * 50));
  EXPECT_EQ(late_link.returned, us(1000 + 4 * 50 + 10)) << "the last chunk has its place once the fourth has left";
}

RC_GTEST_PROP(VirtualCopy, AtSteadyRatesACopyTakesExactlyTheLongerOfMemcpyAndLink, ()) {
  const auto whole_chunks = *rc::gen::inRange<std::size_t>(1, 10);
  const auto host = Nanoseconds{*rc::gen::inRange(0, 500'000)};
  const auto link = Nanoseconds{*rc::gen::inRange(0, 500'000)};
  static const std::vector<std::byte> most(10 * chunk);
  const auto source = std::span(most).first(whole_chunks * chunk);
  const auto count = static_cast<std::int64_t>(whole_chunks);
  const Staged staged = stage(source, host, link);
  RC_ASSERT(staged.arrived == count * std::max(host, link));
  RC_ASSERT(staged.returned <= staged.arrived);
  RC_ASSERT(staged.returned >= count * host);
}
