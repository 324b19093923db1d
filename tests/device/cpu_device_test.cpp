#include "device/cpu/cpu_device.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace feedtune {
namespace {

class CpuDevice : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_ = make_cpu_device(clock_, 1);
    } catch (const DeviceUnavailableError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(Nanoseconds{5});
  std::unique_ptr<Device> device_;
};

TEST_F(CpuDevice, MemoryIsCountedInUnitsOf256BytesAndItsPeakIsKept) {
  DeviceMemory& memory = device_->memory();
  {
    const DeviceBuffer one = memory.allocate(1);
    const DeviceBuffer two = memory.allocate(257);
    EXPECT_EQ(memory.used_bytes(), 256u + 512u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.address()) % 64, 0u);
    EXPECT_EQ(two.size(), 257u);
    std::memset(two.address(), 1, two.size());
  }
  EXPECT_EQ(memory.used_bytes(), 0u);
  EXPECT_EQ(memory.peak_bytes(), 768u);
  EXPECT_EQ(memory.limit_bytes(), 0u);
  EXPECT_EQ(memory.allocate(0).size(), 0u);
}

TEST_F(CpuDevice, MemoryOutlivesTheDevice) {
  DeviceBuffer buffer = device_->memory().allocate(4096);
  device_.reset();
  std::memset(buffer.address(), 1, buffer.size());
}

TEST_F(CpuDevice, MoreMemoryThanThereIsIsOutOfDeviceMemory) {
  for (const std::size_t bytes : {std::size_t{1} << 60, ~std::size_t{0}}) {
    try {
      device_->memory().allocate(bytes);
      FAIL() << "allocated " << bytes;
    } catch (const OutOfMemory& error) {
      EXPECT_EQ(error.where(), MemoryKind::device);
      EXPECT_EQ(error.requested_bytes(), bytes);
    }
  }
  EXPECT_EQ(device_->memory().used_bytes(), 0u);
}

TEST_F(CpuDevice, EventsAreStampsOfTheClock) {
  const auto stream = device_->create_stream();
  const auto first = device_->create_event();
  const auto second = device_->create_event();
  EXPECT_FALSE(first->done());
  stream->record(*first);
  clock_->advance(Nanoseconds{7});
  stream->wait(*first);
  stream->record(*second);
  EXPECT_TRUE(second->done());
  EXPECT_EQ(second->synchronize(), Nanoseconds{0});
  EXPECT_EQ(first->time(), Nanoseconds{5});
  EXPECT_EQ(second->time(), Nanoseconds{12});
}

TEST_F(CpuDevice, CopiesWhatItIsGiven) {
  const DeviceBuffer to = device_->memory().allocate(3);
  const std::vector<std::byte> from = {std::byte{1}, std::byte{2}, std::byte{3}};
  device_->create_stream()->copy_to_device(to.address(), from, HostMemory::pageable);
  EXPECT_EQ(std::memcmp(to.address(), from.data(), 3), 0);
  EXPECT_FALSE(device_->facts().copies);
  EXPECT_FALSE(device_->facts().modelled);
}

TEST_F(CpuDevice, GivesHostMemoryOfBothKinds) {
  for (const HostMemory kind : {HostMemory::pageable, HostMemory::pinned}) {
    const HostBuffer buffer = device_->memory().host(kind)->allocate(100);
    EXPECT_EQ(buffer.kind(), kind);
    EXPECT_EQ(device_->memory().host(kind)->allocated_bytes(), 100u);
  }
}

TEST_F(CpuDevice, LeavesTheThreadSettingsOfTheProgramAlone) {
  // Looked up, so that this file also links in a build without OpenMP.
  const auto openmp_threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  ASSERT_NE(openmp_threads, nullptr);
  const int before = openmp_threads();
  device_ = make_cpu_device(clock_, before + 1);
  std::vector<float> values(4, 1.0f);
  const Tensor tensor{reinterpret_cast<std::byte*>(values.data()), 4, Element::f32};
  std::vector<float> product(4);
  const Tensor out{reinterpret_cast<std::byte*>(product.data()), 4, Element::f32};
  device_->math().gemm(*device_->create_stream(), {.m = 2, .n = 2, .k = 2, .a = tensor, .b = tensor, .c = out});
  EXPECT_EQ(product[3], 2.0f);
  EXPECT_EQ(openmp_threads(), before);
}

TEST_F(CpuDevice, OtherPrecisionsAreUnsupportedByName) {
  const auto stream = device_->create_stream();
  for (const Precision precision : {Precision::tf32, Precision::bf16, Precision::fp16}) try {
      Gemm gemm;
      gemm.precision = precision;
      device_->math().gemm(*stream, gemm);
      FAIL() << "computed in " << to_text(precision);
    } catch (const TrialFailure& failure) {
      EXPECT_EQ(failure.status(), TrialStatus::unsupported);
      EXPECT_NE(std::string(failure.what()).find(to_text(precision)), std::string::npos) << failure.what();
    }
  EXPECT_EQ(device_->facts().precisions, std::vector<std::string>{"fp32"});
}

}  // namespace
}  // namespace feedtune
