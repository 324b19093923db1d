// Memory, streams and events of the cuda device, its errors, and what the fake finds in a program that uses them wrongly.
#include <gmock/gmock.h>

#include <cstdlib>
#include <thread>

#include "cuda_fixture.hpp"
#include "device/registered_allocator.hpp"

namespace feedtune {
namespace {

using test::on_device;
using test::values_of;

/// Runs the rest of a test in a process of its own with FAKE_CUDA set: the fake reads it once.
#define EXPECT_IN_PROCESS(fake, statement, said) \
  EXPECT_EXIT({ ::setenv("FAKE_CUDA", fake, 1); statement; std::exit(0); }, testing::ExitedWithCode(0), said)

class CudaDevice : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

template <class F>
void say_what_it_throws(const F& f) {
  try {
    f();
    std::fprintf(stderr, "nothing thrown\n");
  } catch (const OutOfMemory& error) {
    std::fprintf(stderr, "OutOfMemory %s %llu of %llu: %s\n", error.where() == MemoryKind::device ? "device" : "other",
                 static_cast<unsigned long long>(error.requested_bytes()), static_cast<unsigned long long>(error.limit_bytes()), error.what());
  } catch (const TrialFailure& error) {
    std::fprintf(stderr, "TrialFailure %d: %s\n", static_cast<int>(error.status()), error.what());
  } catch (const DeviceUnavailableError& error) {
    std::fprintf(stderr, "DeviceUnavailableError: %s\n", error.what());
  }
}

TEST_F(CudaDevice, ItsFactsAreTheDrivers) {
  const auto cuda = test::make_cuda();
  EXPECT_EQ(cuda->facts().title, "fake");
  EXPECT_TRUE(cuda->facts().fake) << "never taken for a GPU's figures";
  EXPECT_FALSE(cuda->facts().modelled);
  EXPECT_EQ(cuda->facts().memory_bytes, 8'000'000'000);
  EXPECT_THAT(cuda->facts().precisions, testing::ElementsAre("fp32", "tf32", "bf16", "fp16"));
}

TEST_F(CudaDevice, OldGpusLackPrecisions) {
  EXPECT_IN_PROCESS("compute=7", {
    const auto turing = test::make_cuda();
    for (const auto& precision : turing->facts().precisions) std::fprintf(stderr, "%s;", precision.c_str());
  }, "^fp32;fp16;$");
}

TEST_F(CudaDevice, WhyThereIsNoneIsSaid) {
  EXPECT_IN_PROCESS("no_driver", say_what_it_throws([] { test::make_cuda(); }), "no NVIDIA driver");
  EXPECT_IN_PROCESS("old_driver", say_what_it_throws([] { test::make_cuda(); }), "driver is too old: it serves CUDA 11.4, this build needs 1[23]");
  EXPECT_IN_PROCESS("no_device", say_what_it_throws([] { test::make_cuda(); }), "shows no GPU");
}

TEST_F(CudaDevice, OutOfMemoryNamesBytesAndWhatIsLeftAndOtherWorkGoesOn) {
  for (const char* fake : {"memory=100e6", "memory=100e6,no_pools"})
    EXPECT_IN_PROCESS(fake, {
      const auto cuda = test::make_cuda();
      say_what_it_throws([&] { cuda->memory().allocate(90'000'000); });
      auto kept = on_device(*cuda, {1, 2, 3});
      if (values_of(*cuda, kept.tensor) != std::vector<float>({1, 2, 3})) std::abort();
      if (cuda->memory().used_bytes() != 256) std::abort();
    }, "OutOfMemory device 90000000 of [0-9]+: ");
}

TEST_F(CudaDevice, MemoryThatIsGivenBackCanBeTakenAgain) {
  EXPECT_IN_PROCESS("memory=100e6", {
    const auto cuda = test::make_cuda();
    for (int k = 0; k < 20; ++k) cuda->memory().allocate(50'000'000);
    if (cuda->memory().peak_bytes() != 50'000'128) std::abort();
    say_what_it_throws([] {});
  }, "nothing thrown");
}

TEST_F(CudaDevice, ARefusedPinnedBufferIsUnsupportedAndNoOutOfMemoryOfTheDevice) {
  EXPECT_IN_PROCESS("pinned=1e6", {
    const auto cuda = test::make_cuda();
    const auto pinned = cuda->memory().host(HostMemory::pinned);
    HostBuffer fits = pinned->allocate(600'000);
    if (fits.kind() != HostMemory::pinned || pinned->locked_bytes() != 600'000) std::abort();
    say_what_it_throws([&] { pinned->allocate(600'000); });
  }, "TrialFailure 5: the driver refused 600000 bytes of pinned host memory .600000 bytes are pinned already");
}

TEST_F(CudaDevice, RegisteredMemoryIsPinnedUntilItIsGivenBack) {
  const auto cuda = test::make_cuda();
  const auto pinned = cuda->memory().host(HostMemory::pinned);
  const auto pageable = cuda->memory().host(HostMemory::pageable);
  RegisteredAllocator registered(cuda->memory());
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, std::size_t{3} << 20}) {
    const std::size_t pages = (bytes + 4095) / 4096 * 4096;
    {
      const HostBuffer one = registered.allocate(bytes), another = registered.allocate(bytes);
      EXPECT_EQ(one.kind(), HostMemory::pinned);
      EXPECT_EQ(one.size(), bytes);
      EXPECT_EQ(pinned->locked_bytes(), 2 * pages) << "what a trial reports as pinned";
      EXPECT_EQ(registered.allocated_bytes(), 2 * pages);
    }
    EXPECT_EQ(pinned->allocated_bytes(), 0u);
    EXPECT_EQ(pageable->allocated_bytes(), 0u);
  }
}

TEST_F(CudaDevice, ARefusedRegistrationIsUnsupportedAndNeverPageableWithoutAWord) {
  EXPECT_IN_PROCESS("pinned=1e6", {
    const auto cuda = test::make_cuda();
    RegisteredAllocator registered(cuda->memory());
    HostBuffer fits = registered.allocate(600'000);
    say_what_it_throws([&] { registered.allocate(600'000); });
    if (cuda->memory().host(HostMemory::pageable)->allocated_bytes() != 602'112) std::abort();  // the refused block is free again
    fits = {};
    if (registered.allocate(600'000).kind() != HostMemory::pinned) std::abort();
  }, "TrialFailure 5: the driver refused 602112 bytes of pinned host memory .602112 bytes are pinned already");
}

TEST_F(CudaDevice, WhatIsRegisteredTwiceEndsTheTrialWithTheErrorsName) {
  EXPECT_IN_PROCESS("", {
    const auto cuda = test::make_cuda();
    const HostBuffer ordinary = cuda->memory().host(HostMemory::pageable)->allocate(8192);
    const PinnedRange once = cuda->memory().pin(ordinary.bytes());
    say_what_it_throws([&] { (void)cuda->memory().pin(ordinary.bytes().first(4096)); });
  }, "TrialFailure 3: CUDA: .*cudaErrorHostMemoryAlreadyRegistered. seen in pinning host memory");
}

TEST_F(CudaDevice, TheFakeSeesRegisteredMemoryThatIsFreedFirstOrLeftBehind) {
  const auto freed_first = [] {
    const auto cuda = test::make_cuda();
    HostBuffer ordinary = cuda->memory().host(HostMemory::pageable)->allocate(8192);
    const PinnedRange range = cuda->memory().pin(ordinary.bytes());
    ordinary = {};
  };
  EXPECT_DEATH(freed_first(), "given back before it was unregistered");
  const auto twice = [] {
    const auto cuda = test::make_cuda();
    const HostBuffer ordinary = cuda->memory().host(HostMemory::pageable)->allocate(8192);
    PinnedRange range = cuda->memory().pin(ordinary.bytes());
    range.get_deleter()(ordinary.data());
  };
  EXPECT_DEATH(twice(), "unregistered that isn't registered");
  EXPECT_IN_PROCESS("", {
    const auto cuda = test::make_cuda();
    const HostBuffer ordinary = cuda->memory().host(HostMemory::pageable)->allocate(8192);
    (void)cuda->memory().pin(ordinary.bytes()).release();
  }, "1 blocks of pinned memory were left");
}

TEST_F(CudaDevice, ACopyFromRegisteredMemoryReturnsAtOnceAsFromPinned) {
  EXPECT_EXIT({
    ::setenv("FAKE_CUDA", "h2d_gbps=0.001", 1);  // 0.4 s
    const auto cuda = test::make_cuda();
    const auto stream = cuda->create_stream();
    const auto copied = cuda->create_event();
    const auto there = on_device(*cuda, std::vector<float>(100'000));
    RegisteredAllocator registered(cuda->memory());
    HostBuffer host = registered.allocate(4 * 100'000);
    reinterpret_cast<float*>(host.data())[99'999] = 7;
    stream->copy_to_device(there.tensor.address, host.bytes(), host.kind());
    stream->record(*copied);
    if (copied->done()) std::abort();
    copied->synchronize();
    std::fprintf(stderr, "arrived: %g\n", static_cast<double>(values_of(*cuda, there.tensor)[99'999]));
    std::exit(0);
  }, testing::ExitedWithCode(0), "arrived: 7");
}

TEST_F(CudaDevice, TimesOfEventsAreOnOneAxisThatFollowsTheClock) {
  const auto cuda = test::make_cuda();
  const auto stream = cuda->create_stream();
  const auto event = cuda->create_event();
  SteadyClock clock;
  stream->record(*event);
  event->synchronize();
  const Nanoseconds begin = clock.now(), on_device_begin = event->time();
  Nanoseconds last = on_device_begin;
  // Longer than a reference lasts, so that times go over two of them.
  while (clock.now() - begin < Nanoseconds{2'500'000'000}) {
    stream->record(*event);
    event->synchronize();
    EXPECT_GE(event->time(), last);
    last = event->time();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  stream->record(*event);
  event->synchronize();
  EXPECT_NEAR(to_s(event->time() - on_device_begin), to_s(clock.now() - begin), 0.05);
}

TEST_F(CudaDevice, ItsCountersAreNvmlsAndWhatItLacksIsAbsentWithTheReason) {
  const auto cuda = test::make_cuda();
  const auto monitor = cuda->monitor();
  const GpuSample sample = monitor->sample();
  EXPECT_EQ(sample.utilization, 0.7);
  EXPECT_EQ(sample.sm_mhz, 1410);
  EXPECT_EQ(sample.memory_mhz, 9501);
  EXPECT_EQ(sample.temperature_c, 61);
  EXPECT_EQ(sample.memory_used_bytes, 1'000'000'000);
  EXPECT_EQ(sample.pcie_generation, 3);
  EXPECT_EQ(sample.pcie_width, 8);
  EXPECT_EQ(sample.throttled_by, (std::vector<std::string>{"sw_power_cap", "sw_thermal_slowdown"}));
  EXPECT_FALSE(sample.power_w);
  EXPECT_EQ(sample.unknown.at("power_w"), "NVML: Not Supported");
  const GpuLimits limits = monitor->limits();
  EXPECT_EQ(limits.pcie_generation_max, 4);
  EXPECT_EQ(limits.pcie_width_max, 16);
  EXPECT_EQ(limits.unknown.at("mig"), "NVML: Not Supported");
}

TEST_F(CudaDevice, AnErrorThatSticksEndsTheTrialWithItsName) {
  EXPECT_IN_PROCESS("fail_kernel=3", {
    const auto cuda = test::make_cuda();
    const auto stream = cuda->create_stream();
    const auto values = on_device(*cuda, std::vector<float>(64));
    say_what_it_throws([&] {
      for (int k = 0; k < 100; ++k) {
        cuda->math().fill_zero(*stream, values.tensor);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }, "TrialFailure 3: CUDA: an illegal memory access was encountered .cudaErrorIllegalAddress. seen in");
}

/// A copy on one stream and a kernel on another that uses what it brings.
void copy_then_add(Device& cuda, bool wait) {
  const auto copies = cuda.create_stream(), computes = cuda.create_stream();
  const auto copied = cuda.create_event(), done = cuda.create_event();
  HostBuffer host = cuda.memory().host(HostMemory::pinned)->allocate(4 * 64);
  const auto there = on_device(cuda, std::vector<float>(64)), bias = on_device(cuda, std::vector<float>(64));
  copies->copy_to_device(there.tensor.address, host.bytes(), HostMemory::pinned);
  copies->record(*copied);
  if (wait) computes->wait(*copied);
  cuda.math().bias_residual(*computes, there.tensor, bias.tensor, Tensor{}, there.tensor, 1, 64);
  computes->record(*done);
  done->synchronize();
}

TEST_F(CudaDevice, TheFakeMissesTheEventBetweenTwoStreams) {
  const auto cuda = test::make_cuda();
  copy_then_add(*cuda, true);
  EXPECT_DEATH(copy_then_add(*test::make_cuda(), false), "an event is missing");
}

/// Unseen by ThreadSanitizer, which would report the race before the fake does.
__attribute__((no_sanitize("thread"))) void write_byte(std::byte* at) { *at = std::byte{1}; }

TEST_F(CudaDevice, TheFakeSeesABufferThatIsUsedAgainTooEarly) {
  EXPECT_EXIT({
    ::setenv("FAKE_CUDA", "h2d_gbps=0.01", 1);
    const auto cuda = test::make_cuda();
    const auto stream = cuda->create_stream();
    const auto there = on_device(*cuda, std::vector<float>(100'000));
    HostBuffer host = cuda->memory().host(HostMemory::pinned)->allocate(4 * 100'000);
    stream->copy_to_device(there.tensor.address, host.bytes(), HostMemory::pinned);
    write_byte(host.bytes().data());
    std::this_thread::sleep_for(std::chrono::seconds(5));
  }, testing::KilledBySignal(SIGABRT), "written to before its copy ended");
}

TEST_F(CudaDevice, TheFakeSeesMemoryThatWasGivenBackAndMatricesThatGoBeyondTheirs) {
  const auto use_after_free = [] {
    const auto cuda = test::make_cuda();
    const auto stream = cuda->create_stream();
    Tensor gone;
    {
      const auto values = on_device(*cuda, std::vector<float>(64));
      gone = values.tensor;
    }
    cuda->math().bias_residual(*stream, gone, gone, Tensor{}, gone, 1, 64);
  };
  EXPECT_DEATH(use_after_free(), "no pointer to device memory");
  const auto beyond = [] {
    const auto cuda = test::make_cuda();
    const auto stream = cuda->create_stream();
    const auto a = on_device(*cuda, std::vector<float>(64)), c = on_device(*cuda, std::vector<float>(64));
    const Tensor larger{a.tensor.address, 72, Element::f32};
    cuda->math().gemm(*stream, {.m = 8, .n = 9, .k = 8, .a = a.tensor, .b = larger, .c = {c.tensor.address, 72, Element::f32}});
  };
  EXPECT_DEATH(beyond(), "beyond its block");
}

}  // namespace
}  // namespace feedtune
