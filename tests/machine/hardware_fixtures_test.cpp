// Machines by what they are built of: what a user would not see if a reader failed on them.
#include "machine/fact_values.hpp"
#include "machine/smbios_table.hpp"

using namespace feedtune;

namespace {

const std::string dmi = "/sys/firmware/dmi/tables/DMI";

/// One NVIDIA GPU on the bus.
void add_gpu(FakeRoot& machine, const std::string& address, int node, const std::string& cpus) {
  const auto folder = "/sys/bus/pci/devices/" + address + "/";
  machine.file(folder + "vendor", "0x10de\n").file(folder + "class", "0x030200\n").file(folder + "numa_node", std::to_string(node) + "\n")
      .file(folder + "local_cpulist", cpus + "\n").file(folder + "current_link_speed", "2.5 GT/s PCIe\n").file(folder + "current_link_width", "16\n")
      .file(folder + "max_link_speed", "32.0 GT/s PCIe\n").file(folder + "max_link_width", "16\n");
}

}  // namespace

TEST(HardwareFixture, BareMetalWithTwoSockets) {
  FakeRoot machine;
  machine.cpus("0-31", "0-31")
      .file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Gold 6430\nmicrocode\t: 0x2b000590\nflags\t\t: fpu sse2 sse4_2 avx avx2 avx512bw\n")
      .file("/sys/devices/system/cpu/smt/active", "1\n")
      .file("/sys/devices/system/node/online", "0-1\n")
      .file("/sys/devices/system/cpu/cpufreq/boost", "1\n")
      .file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
      .file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3400000\n")
      .file("/sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: Enhanced IBRS\n")
      .file("/sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n")
      .file("/sys/class/dmi/id/sys_vendor", "Supermicro\n").file("/sys/class/dmi/id/product_name", "SYS-421GE-TNRT\n")
      .file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version: 12.2\n")
      .file("/proc/driver/nvidia/gpus/0000:17:00.0/information", "Model: \t\t NVIDIA H100 PCIe\nIRQ: 5\nGPU UUID: \t GPU-1234\n")
      .file("/proc/driver/nvidia/capabilities/gpu0/mig/config", "")
      .file("/proc/meminfo", "MemTotal: 1056000000 kB\nMemAvailable: 900 kB\nSwapTotal: 8388604 kB\nSwapFree: 8388604 kB\nHugePages_Total: 64\nHugepagesize: 2048 kB\n")
      .file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  for (int cpu = 0; cpu < 32; ++cpu) machine.core(cpu, cpu / 8 % 2, cpu % 8);
  for (int cpu : {0, 8}) {
    machine.cache(cpu, 0, 1, "Data", 48, "0").cache(cpu, 1, 1, "Instruction", 32, "0").cache(cpu, 2, 2, "Unified", 2048, "0");
    machine.cache(cpu, 3, 3, "Unified", 61440, cpu == 0 ? "0-7,16-23" : "8-15,24-31");
  }
  add_gpu(machine, "0000:17:00.0", 0, "0-7,16-23");
  SmbiosTable table;
  table.array();
  for (const char* socket : {"P1", "P2"})
    for (const char letter : {'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'})
      table.module({.locator = std::string(socket) + "-DIMM" + letter + "1", .bank = "BANK", .size = 0x7FFF, .extended_mib = 65536, .type = 0x22, .rated = 4800, .configured = 4400});
  machine.file(dmi, table.end());
  const auto facts = machine_facts("", machine.root());
  EXPECT_EQ(shown(facts, "sockets"), "2");
  EXPECT_EQ(shown(facts, "cores"), "16");
  EXPECT_EQ(shown(facts, "threads"), "32");
  EXPECT_EQ(shown(facts, "smt"), "on");
  EXPECT_EQ(shown(facts, "l1d_bytes"), std::to_string(48 * 1024)) << "the data cache, not the instructions'";
  EXPECT_EQ(shown(facts, "l2_bytes"), std::to_string(2048 * 1024));
  EXPECT_EQ(shown(facts, "l3_bytes"), std::to_string(61440 * 1024));
  EXPECT_EQ(shown(facts, "l3_caches"), "2");
  EXPECT_EQ(shown(facts, "numa_nodes"), "2");
  EXPECT_EQ(shown(facts, "cpu_simd"), "avx512bw");
  EXPECT_EQ(shown(facts, "cpu_microcode"), "0x2b000590");
  EXPECT_EQ(shown(facts, "cpu_max_mhz"), "3400");
  EXPECT_EQ(shown(facts, "turbo"), "on");
  EXPECT_EQ(shown(facts, "mitigations"), "spectre_v2");
  EXPECT_EQ(shown(facts, "vulnerabilities"), "none");
  EXPECT_EQ(shown(facts, "hypervisor"), "none");
  EXPECT_EQ(shown(facts, "product"), "Supermicro SYS-421GE-TNRT");
  EXPECT_EQ(shown(facts, "memory_slots"), "16");
  EXPECT_EQ(shown(facts, "memory_channels"), "16");
  EXPECT_EQ(shown(facts, "memory_channels_populated"), "16");
  EXPECT_EQ(shown(facts, "memory_type"), "DDR5");
  EXPECT_EQ(shown(facts, "memory_rated_mts"), "4800");
  EXPECT_EQ(shown(facts, "memory_mts"), "4400");
  EXPECT_EQ(shown(facts, "memory_slots_empty"), "none");
  EXPECT_EQ(shown(facts, "swap_used_bytes"), "0");
  EXPECT_EQ(shown(facts, "huge_pages_bytes"), std::to_string(64 * 2048 * 1024));
  EXPECT_EQ(shown(facts, "transparent_huge_pages"), "madvise");
  EXPECT_EQ(shown(facts, "gpus"), "1");
  EXPECT_EQ(shown(facts, "gpu_models"), "NVIDIA H100 PCIe");
  EXPECT_EQ(shown(facts, "gpu_driver"), "535.104.05");
  EXPECT_EQ(shown(facts, "gpu_numa_nodes"), "0");
  EXPECT_EQ(shown(facts, "gpu_local_cpus"), "0-7,16-23");
  EXPECT_EQ(shown(facts, "gpu_pcie_link"), "2.5 GT/s x16");
  EXPECT_EQ(shown(facts, "gpu_pcie_link_max"), "32.0 GT/s x16");
  EXPECT_EQ(shown(facts, "gpu_mig_slices"), "0");
}

TEST(HardwareFixture, Laptop) {
  FakeRoot machine;
  machine.cpus("0-3", "0-3")
      .file("/proc/cpuinfo", "model name\t: AMD Ryzen 7 7840U\nflags\t\t: sse2 sse4_2 avx avx2\n")
      .file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n")
      .file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n")
      .file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "amd-pstate-epp\n")
      .file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3300000\n")
      .file("/sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "5132000\n")
      .file("/proc/meminfo", "MemTotal: 30000000 kB\nMemAvailable: 3 kB\nSwapTotal: 2000 kB\nSwapFree: 500 kB\n")
      .file("/proc/self/mountinfo", "1 0 259:2 / / rw - btrfs /dev/nvme0n1p2 rw\n")
      .file("/sys/devices/nvme0n1/device/model", "SAMSUNG MZVL21T0\n")
      .file("/sys/devices/nvme0n1/device/serial", "S0123456789\n")
      .file("/sys/devices/nvme0n1/queue/rotational", "0\n")
      .file("/sys/devices/nvme0n1/queue/read_ahead_kb", "128\n")
      .file("/sys/devices/nvme0n1/nvme0n1p2/partition", "2\n")
      .link("/sys/dev/block/259:2", "../../devices/nvme0n1/nvme0n1p2");
  const auto facts = machine_facts("/home/data", machine.root());
  EXPECT_EQ(shown(facts, "governor"), "powersave");
  EXPECT_EQ(shown(facts, "frequency_driver"), "amd-pstate-epp");
  EXPECT_EQ(shown(facts, "cpu_max_mhz"), "5132") << "of the fastest core";
  EXPECT_EQ(shown(facts, "cpu_simd"), "avx2");
  EXPECT_EQ(shown(facts, "swap_used_bytes"), std::to_string(1500 * 1024));
  EXPECT_EQ(shown(facts, "data_storage"), "local");
  EXPECT_EQ(shown(facts, "data_device_model"), "SAMSUNG MZVL21T0") << "of the disk that the partition lies on";
  EXPECT_EQ(shown(facts, "data_rotational"), "no");
  EXPECT_EQ(shown(facts, "data_read_ahead_bytes"), std::to_string(128 * 1024));
  for (const auto& [name, fact] : facts.facts) {
    if (fact.value) { EXPECT_EQ(to_text(*fact.value).find("S0123456789"), std::string::npos) << name << " shows the disk's serial number"; }
  }
}

TEST(HardwareFixture, DesktopWithOneModuleOfTwoChannels) {
  FakeRoot machine;
  SmbiosTable table;
  table.array().module({.locator = "DIMM_A1"}).module({.locator = "DIMM_A2", .size = 16384}).module({.locator = "DIMM_B1"}).module({.locator = "DIMM_B2"});
  machine.file(dmi, table.end());
  const auto facts = machine_facts("", machine.root());
  EXPECT_EQ(shown(facts, "memory_slots"), "4");
  EXPECT_EQ(shown(facts, "memory_slots_populated"), "1");
  EXPECT_EQ(shown(facts, "memory_channels"), "2");
  EXPECT_EQ(shown(facts, "memory_channels_populated"), "1");
  EXPECT_EQ(shown(facts, "memory_modules"), "DIMM_A2 16 GiB");
  EXPECT_EQ(shown(facts, "memory_slots_empty"), "DIMM_A1, DIMM_B1, DIMM_B2");
  for (const auto& [name, fact] : facts.facts) {
    if (fact.value) { EXPECT_EQ(to_text(*fact.value).find("4711"), std::string::npos) << name << " shows the module's serial number"; }
  }
}

TEST(HardwareFixture, TwoModulesInTheSameChannelAreOneChannel) {
  FakeRoot machine;
  SmbiosTable table;
  table.array().module({.locator = "ChannelA-DIMM0", .bank = "BANK 0", .size = 8192}).module({.locator = "ChannelA-DIMM1", .bank = "BANK 1", .size = 8192});
  table.module({.locator = "ChannelB-DIMM0", .bank = "BANK 2"}).module({.locator = "ChannelB-DIMM1", .bank = "BANK 3"});
  machine.file(dmi, table.end());
  const auto facts = machine_facts("", machine.root());
  EXPECT_EQ(shown(facts, "memory_slots_populated"), "2");
  EXPECT_EQ(shown(facts, "memory_channels"), "2");
  EXPECT_EQ(shown(facts, "memory_channels_populated"), "1");
}

TEST(HardwareFixture, WithoutDmiTheKernelsErrorReportingCounts) {
  FakeRoot machine;
  for (const int channel : {0, 1}) {
    const auto folder = "/sys/devices/system/edac/mc/mc0/dimm" + std::to_string(channel) + "/";
    machine.file(folder + "dimm_location", "channel " + std::to_string(channel) + " slot 0 \n").file(folder + "size", "16384\n");
  }
  const auto facts = machine_facts("", machine.root());
  EXPECT_EQ(shown(facts, "memory_slots_populated"), "2");
  EXPECT_EQ(shown(facts, "memory_channels_populated"), "2");
  EXPECT_TRUE(is_null(facts, "memory_channels")) << "empty ones are not in it";
  EXPECT_NE(shown(facts, "memory_slots").find("no such table"), std::string::npos);
}

TEST(HardwareFixture, Arm) {
  FakeRoot machine;
  machine.cpus("0-1", "0-1")
      .file("/proc/sys/kernel/arch", "aarch64\n")
      .file("/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 2000.00\nFeatures\t: fp asimd crc32 sve sve2\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n")
      .core(0, 0, 0).core(1, 0, 1);
  const auto facts = machine_facts("", machine.root());
  EXPECT_EQ(shown(facts, "architecture"), "aarch64");
  EXPECT_EQ(shown(facts, "cpu_model"), "ARM implementer 0x41 part 0xd4f");
  EXPECT_EQ(shown(facts, "cpu_simd"), "sve2");
  EXPECT_EQ(shown(facts, "cores"), "2");
  EXPECT_EQ(shown(facts, "hypervisor"), "null: no flags to tell by") << "never 'none' where it can't be known";
  EXPECT_TRUE(is_null(facts, "cpu_microcode"));
}

TEST(HardwareFixture, MigSlices) {
  FakeRoot machine;
  machine.file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build  (x)\n")
      .file("/proc/driver/nvidia/capabilities/gpu0/mig/gi3/access", "x").file("/proc/driver/nvidia/capabilities/gpu0/mig/gi5/access", "x")
      .file("/proc/driver/nvidia/capabilities/gpu1/mig/config", "x").file("/proc/driver/nvidia/capabilities/mig/config", "x");
  add_gpu(machine, "0000:17:00.0", 0, "0-15");
  add_gpu(machine, "0000:b1:00.0", 1, "16-31");
  const auto facts = machine_facts("", machine.root());
  EXPECT_EQ(shown(facts, "gpus"), "2");
  EXPECT_EQ(shown(facts, "gpu_driver"), "550.54.15");
  EXPECT_EQ(shown(facts, "gpu_mig_slices"), "2");
  EXPECT_EQ(shown(facts, "gpu_numa_nodes"), "0, 1");
  EXPECT_EQ(shown(facts, "gpu_local_cpus"), "null: the GPUs lie on several nodes");
}

TEST(HardwareFixture, Wsl) {
  FakeRoot machine;
  machine.cpus("0-7", "0-7")
      .file("/proc/cpuinfo", "model name\t: Intel(R) Core(TM) i7-13700H\nflags\t\t: sse2 avx2 hypervisor\n")
      .file("/proc/sys/kernel/osrelease", "5.15.153.1-microsoft-standard-WSL2\n")
      .file("/dev/dxg", "")
      .file("/sys/bus/pci/devices/5582:00:00.0/vendor", "0x1414\n").file("/sys/bus/pci/devices/5582:00:00.0/class", "0x030200\n")
      .file("/proc/self/mountinfo", "1 0 8:32 / / rw - ext4 /dev/sdc rw\n2 1 0:58 / /mnt/c rw - 9p C:\\134 rw,aname=drvfs\n");
  const auto facts = machine_facts("/mnt/c/data", machine.root());
  EXPECT_EQ(shown(facts, "hypervisor"), "unnamed");
  EXPECT_EQ(shown(facts, "data_filesystem"), "9p");
  EXPECT_EQ(shown(facts, "data_storage"), "host");
  EXPECT_EQ(shown(facts, "gpu_driver"), "null: the driver is that of Windows (WSL)");
  EXPECT_EQ(shown(facts, "gpus"), "null: the GPU is not on this bus (WSL)") << "never 0 where there is one";
  EXPECT_EQ(shown(facts, "governor"), "null: no cpufreq here (a virtual machine, or no driver)");
  EXPECT_EQ(shown(facts, "data_rotational"), "null: its filesystem has no block device of its own");
}
