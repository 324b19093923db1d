#include "machine/cpu_limit.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include "machine/cgroup.hpp"
#include "machine/fake_root.hpp"

using namespace feedtune;

TEST(CpuLimit, WithoutControlGroupsTheOnlineCpusAreTheLimit) {
  FakeRoot machine;
  machine.cpus("0-3,8-11", "0-3,8-11");
  const auto limit = cpu_limit(machine.root());
  EXPECT_EQ(limit.effective, 8);
  EXPECT_EQ(limit.online, 8);
  EXPECT_EQ(limit.affinity, 8);
  EXPECT_EQ(limit.quota, std::nullopt);
  EXPECT_EQ(limit.limited_by, "online");
}

TEST(CpuLimit, AnAffinityMaskCountsOnlyItsOnlineCpus) {
  FakeRoot machine;
  machine.cpus("0-3", "2-7");  // taskset before CPUs 4 to 7 went offline
  const auto limit = cpu_limit(machine.root());
  EXPECT_EQ(limit.effective, 2);
  EXPECT_EQ(limit.online, 4);
  EXPECT_EQ(limit.limited_by, "affinity");
}

TEST(CpuLimit, Version1QuotaIsPeriodsShare) {
  FakeRoot machine;
  machine.cpus("0-15", "0-15")
      .file("/proc/self/cgroup", "4:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n")
      .file("/proc/self/mountinfo", "33 32 0:30 / /sys/fs/cgroup/cpu,cpuacct ro,nosuid - cgroup cgroup rw,cpu,cpuacct\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "250000\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
  const auto limit = cpu_limit(machine.root());
  EXPECT_DOUBLE_EQ(limit.effective, 2.5);
  EXPECT_EQ(limit.quota, 2.5);
  EXPECT_EQ(limit.limited_by, "cgroup v1 /docker/abc");
}

TEST(CpuLimit, InsideAVersion1ContainerTheMountShowsOnlyItsPart) {
  FakeRoot machine;
  machine.cpus("0-15", "0-15")
      .file("/proc/self/cgroup", "4:cpu,cpuacct:/docker/abc/job\n")
      .file("/proc/self/mountinfo", "33 32 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n")
      .file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n")
      .file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
      .file("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n")
      .file("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  const auto limit = cpu_limit(machine.root());
  EXPECT_EQ(limit.effective, 4);
  EXPECT_EQ(limit.limited_by, "cgroup v1 /");
}

TEST(CpuLimit, TheTightestAncestorOfVersion2Counts) {
  FakeRoot machine;
  machine.cpus("0-31", "0-31")
      .file("/proc/self/cgroup", "0::/slurm/job_7/step_0\n")
      .file("/proc/self/mountinfo", unified_mount)
      .file("/sys/fs/cgroup/slurm/cpu.max", "1600000 100000\n")
      .file("/sys/fs/cgroup/slurm/job_7/cpu.max", "150000 50000\n")
      .file("/sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "max 100000\n");
  const auto limit = cpu_limit(machine.root());
  EXPECT_EQ(limit.effective, 3);
  EXPECT_EQ(limit.limited_by, "cgroup v2 /slurm/job_7");
}

TEST(CpuLimit, AQuotaOfMaxIsNone) {
  FakeRoot machine;
  machine.cpus("0-7", "0-7")
      .file("/proc/self/cgroup", "0::/user.slice\n")
      .file("/proc/self/mountinfo", unified_mount)
      .file("/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  const auto limit = cpu_limit(machine.root());
  EXPECT_EQ(limit.effective, 8);
  EXPECT_EQ(limit.quota, std::nullopt);
  EXPECT_EQ(limit.limited_by, "online");
}

TEST(CpuLimit, AQuotaAboveTheCpusIsToldButDoesNotLimit) {
  FakeRoot machine;
  machine.cpus("0-3", "0-3")
      .file("/proc/self/cgroup", "0::/\n")
      .file("/proc/self/mountinfo", unified_mount)
      .file("/sys/fs/cgroup/cpu.max", "1200000 100000\n");
  const auto limit = cpu_limit(machine.root());
  EXPECT_EQ(limit.effective, 4);
  EXPECT_EQ(limit.quota, 12);
  EXPECT_EQ(limit.limited_by, "online");
}

TEST(CpuLimit, OnAHybridMachineTheVersion1QuotaIsFound) {
  FakeRoot machine;
  machine.cpus("0-7", "0-7")
      .file("/proc/self/cgroup", "5:cpuset:/\n2:cpu,cpuacct:/batch\n0::/system.slice/ssh.service\n")
      .file("/proc/self/mountinfo",
            "31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
            "32 31 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
            "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n")
      .file("/sys/fs/cgroup/unified/system.slice/ssh.service/cgroup.procs", "")
      .file("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "50000\n")
      .file("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_period_us", "100000\n");
  const auto limit = cpu_limit(machine.root());
  EXPECT_DOUBLE_EQ(limit.effective, 0.5);
  EXPECT_EQ(limit.limited_by, "cgroup v1 /batch");
}

TEST(CpuLimit, ACpusetBelowTheAffinityMaskIsNamed) {
  FakeRoot machine;
  machine.cpus("0-15", "0-7")
      .file("/proc/self/cgroup", "0::/pod\n")
      .file("/proc/self/mountinfo", unified_mount)
      .file("/sys/fs/cgroup/cpuset.cpus.effective", "0-15\n")
      .file("/sys/fs/cgroup/pod/cpuset.cpus.effective", "4-5\n");
  const auto limit = cpu_limit(machine.root());
  EXPECT_EQ(limit.effective, 2);
  EXPECT_EQ(limit.affinity, 2);
  EXPECT_EQ(limit.limited_by, "cgroup v2 /pod (cpuset)");
}

TEST(CpuLimit, AMaskBelowTheCpusetIsTheUsersOwn) {
  FakeRoot machine;
  machine.cpus("0-15", "4")
      .file("/proc/self/cgroup", "3:cpuset:/pod\n")
      .file("/proc/self/mountinfo", "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n")
      .file("/sys/fs/cgroup/cpuset/pod/cpuset.cpus", "4-7\n");
  const auto limit = cpu_limit(machine.root());
  EXPECT_EQ(limit.effective, 1);
  EXPECT_EQ(limit.limited_by, "affinity");
}

TEST(CpuLimit, AGroupThatIsNotVisibleFallsBackToTheMount) {
  FakeRoot machine;
  machine.cpus("0-7", "0-7")
      .file("/proc/self/cgroup", "0::/../../elsewhere\n")
      .file("/proc/self/mountinfo", unified_mount)
      .file("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  const auto limit = cpu_limit(machine.root());
  EXPECT_EQ(limit.effective, 2);
  EXPECT_EQ(limit.limited_by, "cgroup v2 /");
}

TEST(CpuLimit, GarbageInTheFilesLimitsNothing) {
  FakeRoot machine;
  machine.cpus("0-7", "3-1,x")
      .file("/proc/self/cgroup", "nonsense\n0::/\n::\n")
      .file("/proc/self/mountinfo", "x\n - \n1 2 3 - cgroup2\n" + unified_mount)
      .file("/sys/fs/cgroup/cpu.max", "\n");
  const auto limit = cpu_limit(machine.root());
  EXPECT_EQ(limit.effective, 8);
  EXPECT_EQ(limit.limited_by, "online");
}

TEST(CpuLimit, AMachineThatShowsNothingIsUnknownNotInfinite) {
  const FakeRoot machine;
  const auto limit = cpu_limit(machine.root());
  EXPECT_EQ(limit.effective, 1);
  EXPECT_EQ(limit.limited_by, "unknown");
}

TEST(CpuLimit, CpuinfoStandsInForASysThatIsNotMounted) {
  FakeRoot machine;
  machine.file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: x\n\nprocessor\t: 1\n");
  EXPECT_EQ(cpu_limit(machine.root()).effective, 2);
}

TEST(CpuLimit, ThisMachineAgreesWithTheScheduler) {
  cpu_set_t* mask = CPU_ALLOC(8192);
  ASSERT_EQ(::sched_getaffinity(0, CPU_ALLOC_SIZE(8192), mask), 0);
  const int allowed = CPU_COUNT_S(CPU_ALLOC_SIZE(8192), mask);
  CPU_FREE(mask);
  const auto limit = cpu_limit();
  EXPECT_EQ(limit.affinity, allowed);
  EXPECT_GT(limit.effective, 0);
  EXPECT_LE(limit.effective, allowed);
  EXPECT_NE(limit.limited_by, "unknown");
}

TEST(Cgroup, TheChainRunsFromTheOwnGroupToTheMount) {
  FakeRoot machine;
  machine.file("/proc/self/cgroup", "0::/a/b c\n")
      .file("/proc/self/mountinfo", "25 24 0:22 / /mnt/control\\040groups rw - cgroup2 none rw\n")
      .file("/mnt/control groups/a/b c/cgroup.procs", "");
  const auto chain = cgroup_ancestry(machine.root(), "cpu");
  ASSERT_EQ(chain.size(), 3u);
  EXPECT_EQ(chain[0].folder, "/mnt/control groups/a/b c");
  EXPECT_EQ(chain[1].name, "/a");
  EXPECT_EQ(chain[2].folder, "/mnt/control groups");
}
