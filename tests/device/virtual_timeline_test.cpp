// The modelled timeline, to the nanosecond: a wrong start time would make a trial blame the wrong phase.

#include <gtest/gtest.h>

#include "virtual_fixture.hpp"

using namespace feedtune;
using feedtune::testing::round_profile;
using feedtune::testing::us;
using feedtune::testing::VirtualFixture;

TEST(VirtualTimeline, AKernelStartsWhenItIsSubmittedAndTheOneBeforeItHasEnded) {
  VirtualFixture f;
  f.kernel(*f.stream, us(100));
  EXPECT_EQ(f.end_of(*f.stream), us(5 + 1 + 100));  // launch, gap, work
  f.kernel(*f.stream, us(100));
  EXPECT_EQ(f.clock->now(), us(10)) << "the host pays for launches, not for kernels";
  EXPECT_EQ(f.end_of(*f.stream), us(106 + 101));

  f.clock->advance_to(us(1000));
  f.kernel(*f.stream, us(100));
  EXPECT_EQ(f.end_of(*f.stream), us(1005 + 101)) << "an idle device starts at once";
}

TEST(VirtualTimeline, ACopyOverlapsComputeButNotAnotherCopy) {
  VirtualFixture f;
  const auto copies = f.device->create_stream();
  const auto other_copies = f.device->create_stream();
  const auto buffer = f.device->memory().host(HostMemory::pinned)->allocate(100'000);
  f.kernel(*f.stream, us(1000));
  copies->copy_to_device(nullptr, buffer.bytes(), HostMemory::pinned);
  other_copies->copy_to_device(nullptr, buffer.bytes(), HostMemory::pinned);
  EXPECT_EQ(f.end_of(*f.stream), us(1006));
  EXPECT_EQ(f.end_of(*copies), us(10 + 10 + 10)) << "submitted at 10 us, 10 us latency, 100,000 bytes at 10 bytes/ns";
  EXPECT_EQ(f.end_of(*other_copies), us(30 + 20));
}

TEST(VirtualTimeline, KernelsOfTwoStreamsShareTheComputeEngine) {
  VirtualFixture f;
  const auto other = f.device->create_stream();
  f.kernel(*f.stream, us(100));
  f.kernel(*other, us(100));
  EXPECT_EQ(f.end_of(*f.stream), us(106));
  EXPECT_EQ(f.end_of(*other), us(207));
}

TEST(VirtualTimeline, AStreamWaitsForAnEventOfAnotherAndTheHostDoesNot) {
  VirtualFixture f;
  const auto copies = f.device->create_stream();
  const auto copied = f.device->create_event();
  const auto buffer = f.device->memory().host(HostMemory::pinned)->allocate(1'000'000);
  copies->copy_to_device(nullptr, buffer.bytes(), HostMemory::pinned);
  copies->record(*copied);
  f.stream->wait(*copied);
  EXPECT_EQ(f.clock->now(), us(5));
  f.kernel(*f.stream, us(50));
  EXPECT_EQ(copied->time(), us(5 + 10 + 100));
  EXPECT_EQ(f.end_of(*f.stream), us(115 + 51));
}

TEST(VirtualTimeline, WaitingForAnEventThatWasNeverRecordedIsNoWait) {
  VirtualFixture f;
  const auto event = f.device->create_event();
  EXPECT_TRUE(event->done());
  EXPECT_EQ(event->synchronize(), us(0));
  f.stream->wait(*event);
  f.kernel(*f.stream, us(1));
  EXPECT_EQ(f.end_of(*f.stream), us(5 + 2));
  EXPECT_THROW(event->time(), std::exception);
}

TEST(VirtualTimeline, AWaitCountsFromTheEventAsItWasRecordedLast) {
  VirtualFixture f;
  const auto other = f.device->create_stream();
  const auto event = f.device->create_event();
  f.stream->record(*event);
  f.kernel(*f.stream, us(100));
  other->wait(*event);  // recorded before the kernel: nothing to wait for
  f.kernel(*other, us(10));
  EXPECT_EQ(f.end_of(*other), us(106 + 11)) << "only the engine is waited for";
  f.stream->record(*event);
  EXPECT_EQ(event->time(), us(106));
}

TEST(VirtualTimeline, AnEventOnAnIdleStreamIsNow) {
  VirtualFixture f;
  f.clock->advance_to(us(700));
  EXPECT_EQ(f.end_of(*f.stream), us(700));
}

TEST(VirtualTimeline, SynchronizeBringsTheHostToTheEventAndIsNeverLateOnAnExactClock) {
  VirtualFixture f;
  const auto event = f.device->create_event();
  f.kernel(*f.stream, us(100));
  f.stream->record(*event);
  EXPECT_FALSE(event->done());
  EXPECT_EQ(event->synchronize(), us(0));
  EXPECT_EQ(f.clock->now(), us(106));
  EXPECT_TRUE(event->done());

  f.clock->advance_to(us(500));
  EXPECT_EQ(event->synchronize(), us(0)) << "a host that comes late by itself was not woken late";
  EXPECT_EQ(f.clock->now(), us(500));
}

TEST(VirtualTimeline, EventsOutliveTheirDevice) {
  auto f = std::make_unique<VirtualFixture>();
  const auto clock = f->clock;
  const auto event = f->device->create_event();
  f->kernel(*f->stream, us(100));
  f->stream->record(*event);
  f.reset();
  event->synchronize();
  EXPECT_EQ(clock->now(), us(106));
}

namespace {

/// Comes back 70 us late from every wait for the device (not from launches), and counts how it was asked to wait.
class LateClock final : public Clock {
 public:
  Nanoseconds now() const override { return now_; }
  void sleep_until(Nanoseconds deadline) override { ++sleeps; wake(deadline); }
  void spin_until(Nanoseconds deadline) override { ++spins; wake(deadline); }
  int sleeps = 0;
  int spins = 0;

 private:
  void wake(Nanoseconds deadline) { now_ = std::max(now_, deadline + us(70)); }
  Nanoseconds now_{0};
};

}  // namespace

TEST(VirtualTimeline, ALateWakeUpIsReportedAndTheProfileSaysHowTheHostWaits) {
  for (const HostWait wait : {HostWait::spin, HostWait::block}) {
    DeviceProfile profile = round_profile();
    profile.launch_us.value = 0;
    profile.host_wait = wait;
    const auto clock = std::make_shared<LateClock>();
    const auto device = make_virtual_device(profile, clock);
    const auto stream = device->create_stream();
    const auto event = device->create_event();
    timed_work(*device)->occupy(*stream, us(100));
    stream->record(*event);
    EXPECT_EQ(event->synchronize(), us(70));
    EXPECT_EQ(clock->spins, wait == HostWait::spin ? 1 : 0);
    EXPECT_EQ(clock->sleeps, wait == HostWait::block ? 1 : 0);
  }
}

TEST(VirtualTimeline, OnTheRealClockAStepTakesItsTime) {
  DeviceProfile profile = round_profile();
  for (const HostWait wait : {HostWait::spin, HostWait::block}) {
    profile.host_wait = wait;
    const auto clock = std::make_shared<SteadyClock>();
    const auto device = make_virtual_device(profile, clock);
    const auto stream = device->create_stream();
    const auto event = device->create_event();
    const Nanoseconds before = clock->now();
    timed_work(*device)->occupy(*stream, std::chrono::milliseconds(20));
    stream->record(*event);
    const Nanoseconds submitted = clock->now() - before;
    const Nanoseconds late = event->synchronize();
    const Nanoseconds took = clock->now() - before;
    EXPECT_GE(submitted, us(5));
    EXPECT_GE(took, std::chrono::milliseconds(20));
    EXPECT_LE(took, std::chrono::seconds(5));
    EXPECT_GE(late, us(0));
    EXPECT_LE(late, took);
  }
}
