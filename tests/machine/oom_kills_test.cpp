#include "machine/oom_kills.hpp"

#include <gtest/gtest.h>

#include "machine/fake_root.hpp"

using namespace feedtune;

TEST(OomKills, AContainersOwnGroupsCountBeforeTheMachine) {
  FakeRoot machine;
  machine.file("/proc/vmstat", "nr_free_pages 1\noom_kill 70\n")
      .file("/proc/self/cgroup", "0::/pod/box\n")
      .file("/proc/self/mountinfo", unified_mount)
      .file("/sys/fs/cgroup/pod/memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 3\noom_group_kill 0\n")
      .file("/sys/fs/cgroup/pod/box/memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\n");
  EXPECT_EQ(oom_kills(machine.root()), 4);
}

TEST(OomKills, Version1CountsInItsOomControl) {
  FakeRoot machine;
  machine.file("/proc/self/cgroup", "4:memory:/box\n")
      .file("/proc/self/mountinfo", "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n")
      .file("/sys/fs/cgroup/memory/box/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
  EXPECT_EQ(oom_kills(machine.root()), 5);
}

TEST(OomKills, WithoutGroupsTheMachineCountsAndAnOldKernelDoesNot) {
  FakeRoot machine;
  machine.file("/proc/self/cgroup", "0::/\n").file("/proc/vmstat", "pgfault 12\noom_kill 2\n");
  EXPECT_EQ(oom_kills(machine.root()), 2);
  machine.file("/proc/vmstat", "pgfault 12\n");
  EXPECT_EQ(oom_kills(machine.root()), std::nullopt);
}
