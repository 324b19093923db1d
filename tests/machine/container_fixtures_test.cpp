// Machines by what holds the process, and files that no kernel writes.
#include <cstdint>

#include "machine/fact_values.hpp"
#include "machine/fingerprint.hpp"
#include "machine/keyed_hash.hpp"
#include "machine/smbios_table.hpp"

using namespace feedtune;

TEST(ContainerFixture, Version1WithAQuotaThatIsUsedUp) {
  FakeRoot machine;
  machine.cpus("0-15", "0-15")
      .file("/proc/self/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n")
      .file("/proc/self/mountinfo",
            "33 32 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n"
            "34 32 0:31 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n2 1 0:9 / / rw - overlay overlay rw\n")
      .file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n").file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
      .file("/sys/fs/cgroup/cpu/cpu.stat", "nr_periods 1000\nnr_throttled 250\nthrottled_time 7500000000\n")
      .file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "8589934592\n");
  const auto facts = machine_facts("/data", machine.root());
  EXPECT_EQ(facts.cpus.effective, 4);
  EXPECT_EQ(shown(facts, "cgroup_version"), "v1");
  EXPECT_EQ(shown(facts, "container"), "docker");
  EXPECT_EQ(shown(facts, "quota_periods"), "1000");
  EXPECT_EQ(shown(facts, "quota_throttled_periods"), "250");
  EXPECT_EQ(shown(facts, "quota_throttled_ms"), "7500");
  EXPECT_EQ(shown(facts, "memory_limit_bytes"), "8589934592");
  EXPECT_EQ(shown(facts, "data_storage"), "overlay");
}

TEST(ContainerFixture, Version2WhereTheAncestorIsThrottled) {
  FakeRoot machine;
  machine.cpus("0-31", "0-31")
      .file("/proc/self/cgroup", "0::/kubepods/pod/box\n")
      .file("/proc/self/mountinfo", unified_mount)
      .file("/sys/fs/cgroup/kubepods/pod/cpu.max", "800000 100000\n")
      .file("/sys/fs/cgroup/kubepods/pod/cpu.stat", "usage_usec 1\nnr_periods 500\nnr_throttled 400\nthrottled_usec 9000000\n")
      .file("/sys/fs/cgroup/kubepods/pod/box/cpu.max", "1600000 100000\n")
      .file("/sys/fs/cgroup/kubepods/pod/box/cpu.stat", "usage_usec 1\nnr_periods 500\nnr_throttled 0\nthrottled_usec 0\n")
      .file("/sys/fs/cgroup/kubepods/pod/memory.events", "oom 1\noom_kill 2\n");
  const auto facts = machine_facts("", machine.root());
  EXPECT_EQ(facts.cpus.effective, 8);
  EXPECT_EQ(facts.cpus.limited_by, "cgroup v2 /kubepods/pod");
  EXPECT_EQ(shown(facts, "quota_throttled_periods"), "400");
  EXPECT_EQ(shown(facts, "quota_throttled_ms"), "9000");
  EXPECT_EQ(facts.facts.at("quota_throttled_ms").source, "cgroup v2 /kubepods/pod cpu.stat");
  EXPECT_EQ(shown(facts, "oom_kills"), "2");
}

TEST(ContainerFixture, Hybrid) {
  FakeRoot machine;
  machine.cpus("0-7", "0-7")
      .file("/proc/self/cgroup", "2:cpu,cpuacct:/batch\n0::/system.slice\n")
      .file("/proc/self/mountinfo",
            "32 31 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n")
      .file("/sys/fs/cgroup/unified/system.slice/cgroup.procs", "")
      .file("/sys/fs/cgroup/cpu/batch/cpu.cfs_quota_us", "200000\n").file("/sys/fs/cgroup/cpu/batch/cpu.cfs_period_us", "100000\n");
  const auto facts = machine_facts("", machine.root());
  EXPECT_EQ(facts.cpus.effective, 2);
  EXPECT_EQ(shown(facts, "cgroup_version"), "hybrid");
  EXPECT_EQ(shown(facts, "quota_throttled_ms"), "null: no group counts them");
}

TEST(ContainerFixture, AQuotaOfMaxLeavesAllCpus) {
  FakeRoot machine;
  machine.cpus("0-7", "0-7").file("/proc/self/cgroup", "0::/box\n").file("/proc/self/mountinfo", unified_mount)
      .file("/sys/fs/cgroup/box/cpu.max", "max 100000\n").file("/sys/fs/cgroup/box/memory.max", "max\n")
      .file("/sys/fs/cgroup/box/cpu.stat", "usage_usec 1\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
  const auto facts = machine_facts("", machine.root());
  EXPECT_EQ(facts.cpus.effective, 8);
  EXPECT_EQ(shown(facts, "memory_limit_bytes"), "null: no limit");
  EXPECT_EQ(shown(facts, "quota_throttled_periods"), "0");
}

TEST(ContainerFixture, ACpusetSmallerThanTheMaskIsWhatLimits) {
  FakeRoot machine;
  machine.cpus("0-63", "0-31").file("/proc/self/cgroup", "0::/slurm/job\n").file("/proc/self/mountinfo", unified_mount)
      .file("/sys/fs/cgroup/slurm/job/cpuset.cpus.effective", "8-11\n");
  const auto facts = machine_facts("", machine.root());
  EXPECT_EQ(facts.cpus.effective, 4);
  EXPECT_EQ(facts.cpus.limited_by, "cgroup v2 /slurm/job (cpuset)");
  EXPECT_EQ(shown(facts, "cpus_allowed"), "0-31");
}

TEST(HostileFixture, NoValueIsTakenThatNoKernelWrites) {
  FakeRoot machine;
  machine.cpus("0-3", "0-3")
      .file("/proc/cpuinfo", "model name\t: evil\x1b[31m CPU\nmicrocode\t: " + std::string(5000, '9') + "\nflags\t\t: sse2\n")
      .file("/proc/sys/kernel/osrelease", "\xff\xfe\n")
      .file("/etc/os-release", "PRETTY_NAME=\"\"\n")
      .file("/proc/meminfo", "MemTotal: -5 kB\nMemAvailable: 99999999999999999999 kB\nSwapTotal: 9223372036854775807 kB\nSwapFree: 1 kB\nHugePages_Total: 9223372036854775807\nHugepagesize: 2048 kB\n")
      .file("/proc/self/cgroup", "0::/\n")
      .file("/proc/self/mountinfo", unified_mount + "7 1 8:1 / /d rw - ext\x07" "4 x rw\n")
      .file("/sys/fs/cgroup/cpu.max", "-100000 100000")
      .file("/sys/fs/cgroup/cpu.stat", "nr_periods -4\nnr_throttled 9999999999999999999999\nthrottled_usec x")
      .file("/sys/kernel/mm/transparent_hugepage/enabled", "]always[")
      .file("/sys/devices/system/cpu/cpu0/cache/index0/level", "1\n").file("/sys/devices/system/cpu/cpu0/cache/index0/size", "-32K")
      .file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "-1")
      .file("/sys/dev/block/8:1/queue/rotational", "7").file("/sys/dev/block/8:1/queue/read_ahead_kb", "9223372036854775807")
      .file("/sys/dev/block/8:1/device/model", std::string(300, 'm'))
      .file("/sys/bus/pci/devices/x/vendor", "0x10de").file("/sys/bus/pci/devices/x/class", "0x030000")
      .file("/sys/bus/pci/devices/x/local_cpulist", "9-1").file("/sys/bus/pci/devices/x/max_link_speed", "GT/s").file("/sys/bus/pci/devices/x/max_link_width", "0")
      .file("/proc/driver/nvidia/version", "1..")
      .file("/etc/machine-id", "not an id\n");
  auto facts = machine_facts("/d/x", machine.root());
  add_fingerprint(facts, {}, {}, machine.root());
  EXPECT_EQ(facts.cpus.effective, 4) << "a negative quota is none";
  for (const char* name : {"cpu_model", "cpu_microcode", "kernel", "os", "memory_bytes", "swap_bytes", "swap_used_bytes", "huge_pages_bytes",
                           "quota_periods", "transparent_huge_pages", "l1d_bytes", "cpu_max_mhz", "data_filesystem", "data_rotational",
                           "data_read_ahead_bytes", "data_device_model", "gpu_local_cpus", "gpu_pcie_link_max", "machine_id"})
    EXPECT_TRUE(is_null(facts, name)) << name << ": " << shown(facts, name);
  EXPECT_EQ(shown(facts, "cpu_model"), "null: it holds control characters or is no UTF-8");
  EXPECT_EQ(shown(facts, "data_device_model"), "null: it holds 300 bytes, a name has at most 256");
}

TEST(HostileFixture, ATruncatedDmiTableIsNullWithItsPlace) {
  FakeRoot machine;
  SmbiosTable table;
  table.array().module({.locator = "DIMM_A1", .size = 8192});
  const auto whole = table.end();
  machine.file("/sys/firmware/dmi/tables/DMI", whole.substr(0, 60));
  const auto facts = machine_facts("", machine.root());
  EXPECT_NE(shown(facts, "memory_slots").find("null: the table of 60 bytes is cut off in the structure at byte"), std::string::npos) << shown(facts, "memory_slots");
}

TEST(HostileFixture, AHugeFileAndAFolderInAFilesPlaceAreNoAnswer) {
  FakeRoot machine;
  machine.file("/proc/meminfo", std::string(std::size_t{17} << 20, 'x')).file("/proc/cpuinfo/oops", "").file("/proc/self/limits", std::string(100'000, '\n'));
  const auto facts = machine_facts("", machine.root());
  for (const char* name : {"memory_bytes", "cpu_model", "open_files"}) EXPECT_TRUE(is_null(facts, name)) << name;
}

TEST(Fingerprint, ItsHashIsHmacSha256) {
  // RFC 4231, test case 2, cut to 128 bits.
  EXPECT_EQ(keyed_hash("Jefe", "what do ya want for nothing?"), "5bdcc146bf60754e6a042426089575c7");
}

TEST(Fingerprint, OneMachineHasOneIdThatDoesNotShowItsOwn) {
  FakeRoot machine, other;
  const std::string id = "0123456789abcdef0123456789abcdef";
  machine.file("/etc/machine-id", id + "\n");
  other.file("/etc/machine-id", "1123456789abcdef0123456789abcdef\n");
  const auto id_of = [](const FakeRoot& root) {
    auto facts = machine_facts("", root.root());
    add_fingerprint(facts, {}, {}, root.root());
    return shown(facts, "machine_id");
  };
  EXPECT_EQ(id_of(machine), id_of(machine));
  EXPECT_NE(id_of(machine), id_of(other));
  EXPECT_EQ(id_of(machine).size(), 32u);
  EXPECT_NE(id_of(machine), id);
  EXPECT_EQ(id_of(FakeRoot()), "null: not there (a container?)");
}

TEST(Fingerprint, HardwareAndSoftwareAreToldApart) {
  const auto hashes = [](const std::string& model, const std::string& kernel, std::int64_t memory_kib, const ToolFacts& tool = {}) {
    FakeRoot root;
    root.file("/proc/cpuinfo", "model name\t: " + model + "\n").file("/proc/sys/kernel/osrelease", kernel + "\n")
        .file("/proc/meminfo", "MemTotal: " + std::to_string(memory_kib) + " kB\n");
    auto facts = machine_facts("", root.root());
    add_fingerprint(facts, {}, tool, root.root());
    return std::pair(shown(facts, "hardware_hash"), shown(facts, "software_hash"));
  };
  const auto base = hashes("A", "6.1", 16'000'000);
  EXPECT_EQ(hashes("A", "6.1", 16'000'000), base);
  EXPECT_EQ(hashes("A", "6.1", 16'010'000), base) << "a kernel that keeps a little more memory for itself is no other machine";
  EXPECT_NE(hashes("B", "6.1", 16'000'000).first, base.first);
  EXPECT_EQ(hashes("B", "6.1", 16'000'000).second, base.second);
  EXPECT_NE(hashes("A", "6.1", 32'000'000).first, base.first);
  EXPECT_EQ(hashes("A", "6.5", 16'000'000).first, base.first);
  EXPECT_NE(hashes("A", "6.5", 16'000'000).second, base.second);
  EXPECT_NE(hashes("A", "6.1", 16'000'000, {.version = "9", .commit = "", .compiler = "", .build_type = "", .libraries = {}}).second, base.second);
}

TEST(Identity, NamesAndNumbersStandOnlyWhereTheyWereAskedFor) {
  FakeRoot machine;
  machine.file("/proc/sys/kernel/hostname", "trainbox7\n").file("/sys/class/dmi/id/product_serial", "SN123\n").file("/sys/class/net/eth0/address", "52:54:00:12:34:56\n");
  auto facts = machine_facts("", machine.root());
  for (const char* name : {"host_name", "product_serial", "product_uuid", "mac_addresses"}) EXPECT_EQ(shown(facts, name), "no such fact");
  add_identity_facts(machine.root(), facts.facts);
  EXPECT_EQ(shown(facts, "host_name"), "trainbox7");
  EXPECT_EQ(shown(facts, "product_serial"), "SN123");
  EXPECT_EQ(shown(facts, "mac_addresses"), "52:54:00:12:34:56");
  EXPECT_EQ(shown(facts, "product_uuid"), "null: not there");
}
