// Copies and memory of the cuda device.
#include "core/error.hpp"
#include "cuda/cuda_fixture.hpp"

namespace feedtune {
namespace {

using test::on_device;
using test::values_of;
using GpuDevice = test::WithCuda;

TEST_F(GpuDevice, CopiesFromBothKindsOfMemoryArriveIntact) {
  const auto cuda = test::make_cuda();
  const auto stream = cuda->create_stream();
  const auto done = cuda->create_event();
  for (const HostMemory kind : {HostMemory::pageable, HostMemory::pinned})
    for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{5'000'001}}) {  // 20 MB: more than any staging buffer
      HostBuffer host = cuda->memory().host(kind)->allocate(4 * count);
      auto* const sent = reinterpret_cast<float*>(host.data());
      for (std::size_t k = 0; k < count; ++k) sent[k] = static_cast<float>(k + 1);  // exact: below 2^24
      const auto there = on_device(*cuda, std::vector<float>(count));
      stream->copy_to_device(there.tensor.address, host.bytes(), kind);
      stream->record(*done);
      done->synchronize();
      EXPECT_TRUE(done->done());
      const std::vector<float> arrived = values_of(*cuda, there.tensor);
      EXPECT_TRUE(std::equal(arrived.begin(), arrived.end(), sent)) << to_text(kind) << ", " << count << " values";
    }
}

TEST_F(GpuDevice, ACopysEventsTellATimeOfItsOwn) {
  const auto cuda = test::make_cuda();
  const auto stream = cuda->create_stream();
  const auto begin = cuda->create_event(), end = cuda->create_event();
  SteadyClock clock;
  HostBuffer host = cuda->memory().host(HostMemory::pinned)->allocate(64 << 20);
  const DeviceBuffer there = cuda->memory().allocate(host.size());
  const Nanoseconds before = clock.now();
  stream->record(*begin);
  stream->copy_to_device(there.address(), host.bytes(), HostMemory::pinned);
  stream->record(*end);
  end->synchronize();
  const Nanoseconds after = clock.now();
  EXPECT_GT(end->time(), begin->time());
  EXPECT_LE(end->time() - begin->time(), after - before + Nanoseconds{1000}) << "events count in half microseconds";
}

TEST_F(GpuDevice, OutOfMemoryIsItsOwnErrorAndOtherWorkGoesOn) {
  const auto cuda = test::make_cuda();
  const std::uint64_t too_much = cuda->memory().limit_bytes() + 1'000'000'000;
  try {
    cuda->memory().allocate(too_much);
    FAIL() << "got more memory than there is";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.status(), TrialStatus::out_of_memory);
    EXPECT_EQ(error.where(), MemoryKind::device);
    EXPECT_EQ(error.requested_bytes(), too_much);
  }
  const auto kept = on_device(*cuda, {1, 2, 3});
  EXPECT_EQ(values_of(*cuda, kept.tensor), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace feedtune
