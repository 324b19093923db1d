#include "machine/process_reader.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "machine/fake_root.hpp"

using namespace feedtune;

TEST(ProcessReader, RunDelayIsReadForEachThread) {
  FakeRoot machine;
  machine.file("/proc/self/task/7/schedstat", "100 2500000000 3\n").file("/proc/self/task/9/schedstat", "5 500000000 1\n");
  const auto counters = ProcessReader(machine.root()).counters();
  EXPECT_EQ(counters.run_delay_s, (std::map<std::int64_t, double>{{7, 2.5}, {9, 0.5}}));
  EXPECT_FALSE(counters.unknown.contains("run_delay_s"));
}

TEST(ProcessReader, ThrottlingOfTheGroupAndItsAncestorsAddsUp) {
  FakeRoot v2, v1;
  v2.file("/proc/self/cgroup", "0::/pod/box\n")
      .file("/proc/self/mountinfo", unified_mount)
      .file("/sys/fs/cgroup/cpu.stat", "usage_usec 99\n")
      .file("/sys/fs/cgroup/pod/cpu.stat", "usage_usec 9\nnr_periods 10\nnr_throttled 4\nthrottled_usec 1500000\n")
      .file("/sys/fs/cgroup/pod/box/cpu.stat", "usage_usec 9\nnr_throttled 0\nthrottled_usec 250000\n");
  EXPECT_EQ(ProcessReader(v2.root()).counters().throttled_s, 1.75);
  v1.file("/proc/self/cgroup", "2:cpu,cpuacct:/box\n")
      .file("/proc/self/mountinfo", "33 32 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n")
      .file("/sys/fs/cgroup/cpu/box/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_time 3000000000\n");
  EXPECT_EQ(ProcessReader(v1.root()).counters().throttled_s, 3);
}

TEST(ProcessReader, WhatIsNotThereIsAbsentWithItsReason) {
  const FakeRoot nothing;
  const ProcessReader reader(nothing.root());
  const auto counters = reader.counters();
  EXPECT_EQ(counters.throttled_s, std::nullopt);
  EXPECT_TRUE(counters.run_delay_s.empty());
  for (const char* field : {"throttled_s", "run_delay_s"}) EXPECT_TRUE(counters.unknown.contains(field)) << field;
  const auto sample = reader.sample();
  EXPECT_EQ(sample.runnable_threads, std::nullopt);
  EXPECT_EQ(sample.cpu_mhz, std::nullopt);
  for (const char* field : {"runnable_threads", "cpu_mhz"}) EXPECT_TRUE(sample.unknown.contains(field)) << field;
  EXPECT_EQ(reader.resident_peak_bytes(), std::nullopt);
  EXPECT_FALSE(reader.reset_resident_peak());
}

TEST(ProcessReader, RunnableThreadsAreThoseInStateR) {
  FakeRoot machine;
  machine.file("/proc/self/task/1/stat", "1 (a) R 0 0\n")
      .file("/proc/self/task/2/stat", "2 (S) R x) S 0 0\n")  // a name that looks like a state
      .file("/proc/self/task/3/stat", "3 (c d) R 0 0\n")
      .file("/proc/self/task/4/stat", "4 (d) D 0 0\n");
  EXPECT_EQ(ProcessReader(machine.root()).sample().runnable_threads, 2);
}

TEST(ProcessReader, FrequencyIsTheMeanOfTheCpus) {
  FakeRoot cpufreq, metal, guest;
  for (int cpu = 0; cpu < 64; ++cpu)
    cpufreq.file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq", "3100000\n");
  EXPECT_EQ(ProcessReader(cpufreq.root()).sample().cpu_mhz, 3100);
  metal.file("/proc/cpuinfo", "cpu MHz\t\t: 2000.123\nflags\t: aperfmperf\n\ncpu MHz\t\t: 3000.9\nflags\t: aperfmperf\n");
  EXPECT_EQ(ProcessReader(metal.root()).sample().cpu_mhz, 2500);
  guest.file("/proc/cpuinfo", "cpu MHz\t\t: 2445.402\nflags\t: fpu hypervisor\n");
  const auto sample = ProcessReader(guest.root()).sample();
  EXPECT_EQ(sample.cpu_mhz, std::nullopt) << "a nominal frequency is no measurement";
  EXPECT_NE(sample.unknown.at("cpu_mhz").find("nominal"), std::string::npos);
}

TEST(ProcessReader, ThePeakOfMemoryIsInBytes) {
  FakeRoot machine;
  machine.cpus("0", "0");
  EXPECT_EQ(ProcessReader(machine.root()).resident_peak_bytes(), 1604 * 1024);
}

TEST(ProcessReader, ThePeakSeesMemoryThatWasGivenBack) {
  const ProcessReader reader;
  constexpr std::size_t bytes = std::size_t{64} << 20;
  const auto before = reader.resident_peak_bytes();
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::munmap(memory, bytes);
  const auto after = reader.resident_peak_bytes();
  ASSERT_TRUE(before && after);
  EXPECT_GT(*after, std::int64_t{64} << 20);
  if (!reader.reset_resident_peak()) GTEST_SKIP() << "the kernel does not let the peak be reset";
  EXPECT_LT(*reader.resident_peak_bytes(), *after - (std::int64_t{32} << 20));
}

TEST(ProcessReader, ABusyThreadShowsInTheCounters) {
  const ProcessReader reader;
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
    }
  });
  const auto before = reader.counters();
  double runnable = 0;
  // Until the thread has used up CPU time: on a crowded machine that takes longer than it should.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  auto after = before;
  while (*after.cpu_user_s - *before.cpu_user_s < 0.05 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    runnable = std::max(runnable, reader.sample().runnable_threads.value_or(0));
    after = reader.counters();
  }
  stop = true;
  busy.join();
  EXPECT_GE(*after.cpu_user_s - *before.cpu_user_s, 0.05);
  EXPECT_GE(runnable, 1);
  EXPECT_GE(*after.voluntary_switches, *before.voluntary_switches);
}
