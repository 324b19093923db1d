#include "machine/facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <limits.h>

#include "build_paths.hpp"
#include "machine/fake_root.hpp"
#include "machine/fingerprint.hpp"
#include "machine/memory.hpp"
#include "machine/mounts.hpp"
#include "run_command.hpp"

using namespace feedtune;

namespace {

AxisValue value_of(const MachineFacts& machine, const std::string& name) {
  const auto& fact = machine.facts.at(name);
  EXPECT_TRUE(fact.value.has_value()) << name << ": " << fact.reason;
  return fact.value.value_or(AxisValue(std::string("(absent)")));
}

AxisValue text(const std::string& value) { return AxisValue(value); }
AxisValue number(std::int64_t value) { return AxisValue(value); }

}  // namespace

TEST(MachineFacts, ATwoSocketServerIsDescribed) {
  FakeRoot machine;
  machine.cpus("0-7", "0-7")
      .file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\nflags\t\t: fpu sse2\n")
      .file("/proc/meminfo", "MemTotal:       32768 kB\nMemFree:  1 kB\nMemAvailable:   16384 kB\n")
      .file("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n")
      .file("/etc/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n")
      .file("/proc/self/cgroup", "0::/\n")
      .file("/proc/self/limits",
            "Limit                     Soft Limit           Hard Limit           Units     \n"
            "Max open files            1024                 524288               files     \n"
            "Max locked memory         unlimited            unlimited            bytes     \n")
      .file("/sys/devices/system/node/online", "0-1\n")
      .file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n")
      .file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n")
      .file("/proc/self/mountinfo",
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:50 / /data rw - nfs4 server:/x rw\n3 1 8:2 / /data-old rw - xfs /dev/sdb rw\n")
      .file("/dev/shm/x", "");
  for (int cpu = 0; cpu < 8; ++cpu) machine.core(cpu, cpu / 4, cpu % 2);  // 2 sockets, 2 cores each, 2 threads each
  const auto facts = machine_facts("/data/train", machine.root());
  EXPECT_EQ(value_of(facts, "cpu_model"), text("Some CPU @ 2.00GHz"));
  EXPECT_EQ(value_of(facts, "sockets"), number(2));
  EXPECT_EQ(value_of(facts, "cores"), number(4));
  EXPECT_EQ(value_of(facts, "threads"), number(8));
  EXPECT_EQ(value_of(facts, "governor"), text("performance, powersave"));
  EXPECT_EQ(value_of(facts, "numa_nodes"), number(2));
  EXPECT_EQ(value_of(facts, "hypervisor"), text("none"));
  EXPECT_EQ(value_of(facts, "memory_bytes"), number(32768 * 1024));
  EXPECT_EQ(value_of(facts, "memory_available_bytes"), number(16384 * 1024));
  EXPECT_EQ(value_of(facts, "memlock_bytes"), text("unlimited"));
  EXPECT_EQ(value_of(facts, "open_files"), number(1024));
  EXPECT_EQ(value_of(facts, "kernel"), text("6.1.0-18-amd64"));
  EXPECT_EQ(value_of(facts, "os"), text("Debian GNU/Linux 12 (bookworm)"));
  EXPECT_EQ(value_of(facts, "container"), text("none seen"));
  EXPECT_EQ(value_of(facts, "data_filesystem"), text("nfs4"));
  EXPECT_EQ(facts.facts.at("memory_limit_bytes").value, std::nullopt);
  EXPECT_EQ(facts.facts.at("memory_limit_bytes").reason, "no limit");
  EXPECT_EQ(facts.cpus.effective, 8);
}

TEST(MachineFacts, EveryFactHasAValueOrAReasonAndASource) {
  const FakeRoot nothing;
  for (const auto& machine : {machine_facts("/data", nothing.root()), machine_facts("/"), machine_facts()}) {
    for (const auto& [name, fact] : machine.facts) {
      EXPECT_NE(fact.source, "") << name;
      EXPECT_NE(fact.value.has_value(), !fact.reason.empty()) << name;
    }
  }
}

TEST(MachineFacts, TheReadmeListsEveryFactAndNoOther) {
  MachineFacts machine = machine_facts("/");
  add_fingerprint(machine, {}, {});
  add_identity_facts(Root(), machine.facts);
  const std::string readme = test::read(std::filesystem::path(build_paths::sources) / "results/README.md");
  const auto begin = readme.find("### Facts about the machine"), end = readme.find("\n### ", begin);
  ASSERT_NE(end, std::string::npos);
  std::set<std::string> listed, found;
  for (const auto line : split_lines(std::string_view(readme).substr(begin, end - begin))) {
    if (line.substr(0, 3) != "| `") continue;
    const auto names = split(line.substr(2, line.find(" |", 2) - 2), ", ");
    for (const auto name : names) listed.emplace(name.substr(1, name.size() - 2));
  }
  for (const auto& [name, fact] : machine.facts) found.insert(name);
  EXPECT_EQ(found, listed);
}

TEST(MachineFacts, ThisMachineAgreesWithItsLibraryCalls) {
  const auto machine = machine_facts("/");
  EXPECT_EQ(value_of(machine, "memory_bytes"), number(::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE)));
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur != RLIM_INFINITY) {
    EXPECT_EQ(value_of(machine, "open_files"), number(static_cast<std::int64_t>(files.rlim_cur)));
  }
}

TEST(MachineFacts, HostAndUserNamesAreLeftOut) {
  char host[HOST_NAME_MAX + 1] = {};
  ASSERT_EQ(::gethostname(host, sizeof host), 0);
  if (std::string(host).size() < 4) GTEST_SKIP() << "a host name as short as '" << host << "' may be part of any word";
  for (const auto& [name, fact] : machine_facts("/").facts) {
    if (fact.value) { EXPECT_EQ(to_text(*fact.value).find(host), std::string::npos) << name; }
  }
}

TEST(MachineFacts, AContainerIsRecognisedByItsMarks) {
  FakeRoot docker, pod, podman;
  docker.file("/.dockerenv", "");
  pod.file("/proc/self/cgroup", "0::/kubepods.slice/kubepods-pod1.slice\n");
  podman.file("/run/.containerenv", "").file("/.dockerenv", "");
  EXPECT_EQ(value_of(machine_facts("", docker.root()), "container"), text("docker"));
  EXPECT_EQ(value_of(machine_facts("", pod.root()), "container"), text("kubepods"));
  EXPECT_EQ(value_of(machine_facts("", podman.root()), "container"), text("podman"));
}

TEST(MachineFacts, AHypervisorIsSeenInTheFlags) {
  FakeRoot guest, xen;
  guest.file("/proc/cpuinfo", "flags\t\t: fpu hypervisor sse2\n");
  xen.file("/sys/hypervisor/type", "xen\n").file("/proc/cpuinfo", "flags\t\t: fpu\n");
  EXPECT_EQ(value_of(machine_facts("", guest.root()), "hypervisor"), text("unnamed"));
  EXPECT_EQ(value_of(machine_facts("", xen.root()), "hypervisor"), text("xen"));
}

TEST(Memory, TheTightestGroupLimitsAndItsPageCacheCanBeHad) {
  FakeRoot machine;
  machine.file("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n")
      .file("/proc/self/cgroup", "0::/pod/box\n")
      .file("/proc/self/mountinfo", unified_mount)
      .file("/sys/fs/cgroup/pod/memory.max", "500000000\n")
      .file("/sys/fs/cgroup/pod/memory.current", "300000000\n")
      .file("/sys/fs/cgroup/pod/memory.stat", "anon 100000000\nfile 200000000\ninactive_file 120000000\nactive_file 70000000\n")
      .file("/sys/fs/cgroup/pod/box/memory.max", "max\n")
      .file("/sys/fs/cgroup/pod/box/memory.current", "300000000\n");
  const auto limit = cgroup_memory_limit(machine.root());
  ASSERT_TRUE(limit.has_value());
  EXPECT_EQ(limit->bytes, 500'000'000);
  EXPECT_EQ(limit->by, "cgroup v2 /pod");
  EXPECT_EQ(whole_memory_bytes(machine.root()), 500'000'000);
  EXPECT_EQ(available_memory_bytes(machine.root()), 500'000'000 - (300'000'000 - 190'000'000));
  const AvailableMemory memory(machine.root());
  machine.file("/sys/fs/cgroup/pod/memory.current", "400000000\n");
  EXPECT_EQ(memory.bytes(), 500'000'000 - (400'000'000 - 190'000'000)) << "what is used is read anew each time";
}

TEST(Memory, Version1sLargestNumberIsNoLimit) {
  FakeRoot machine;
  machine.file("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n")
      .file("/proc/self/cgroup", "4:memory:/box\n")
      .file("/proc/self/mountinfo", "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n")
      .file("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854771712\n")
      .file("/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "1000\n");
  EXPECT_FALSE(cgroup_memory_limit(machine.root()).has_value());
  EXPECT_EQ(whole_memory_bytes(machine.root()), 1'000'000 * 1024);
  EXPECT_EQ(available_memory_bytes(machine.root()), 900'000 * 1024);
}

TEST(Mounts, TheInnermostMountHoldsAPath) {
  const std::vector<Mount> mounts = {{"/", "/", "ext4", ""}, {"/", "/data", "xfs", ""}, {"/", "/data", "nfs4", ""}, {"/", "/data/fast", "tmpfs", ""}};
  EXPECT_EQ(mount_of(mounts, "/data")->type, "nfs4") << "the later mount hides the earlier";
  EXPECT_EQ(mount_of(mounts, "/data/fast/x")->type, "tmpfs");
  EXPECT_EQ(mount_of(mounts, "/database")->type, "ext4");
  EXPECT_FALSE(mount_of({}, "/data").has_value());
}

TEST(Root, FilesAreReadWholeAndMissingOnesAreNothing) {
  FakeRoot machine;
  machine.file("/a/large", std::string(100'000, 'x')).file("/a/line", "  42 \nmore\n").file("/a/empty", "");
  const Root root = machine.root();
  EXPECT_EQ(root.read("/a/large")->size(), 100'000u);
  EXPECT_EQ(root.read_integer("/a/line"), 42);
  EXPECT_EQ(root.read_line("/a/empty"), "");
  EXPECT_EQ(root.read("/a"), std::nullopt) << "a folder";
  EXPECT_EQ(root.read("/a/missing"), std::nullopt);
  EXPECT_EQ(root.read_integer("/a/large"), std::nullopt);
  EXPECT_THAT(root.list("/a"), ::testing::ElementsAre("empty", "large", "line"));
  EXPECT_THAT(root.list("/missing"), ::testing::IsEmpty());
}
