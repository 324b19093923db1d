// What doctor says of machines that are made up here: which check speaks, how loud, and with which figure.
#include "analyze/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <set>

using namespace feedtune;
using ::testing::HasSubstr;

namespace {

/// A machine that nothing is wrong with, and whatever a test puts in its place.
class Patient {
 public:
  Patient() {
    cpus({.effective = 16, .limited_by = "online", .online = 16, .affinity = 16, .quota = std::nullopt});
    fact("numa_nodes", 1).fact("governor", "performance").fact("frequency_driver", "acpi-cpufreq").fact("turbo", "on").fact("hypervisor", "none");
    fact("cpu_simd", "avx2").fact("cpus_allowed", "0-15").fact("memory_bytes", gb(128)).fact("memory_available_bytes", gb(100));
    fact("memory_slots", 4).fact("memory_slots_populated", 4).fact("memory_channels", 4).fact("memory_channels_populated", 4);
    fact("memory_modules", "A 32 GiB, B 32 GiB").fact("memory_slots_empty", "none").fact("memory_mts", 4800).fact("memory_rated_mts", 4800);
    fact("shm_bytes", gb(64)).fact("shm_free_bytes", gb(64)).fact("memlock_bytes", "unlimited").fact("open_files", 1'048'576);
    fact("swap_bytes", gb(8)).fact("swap_used_bytes", 0).fact("transparent_huge_pages", "madvise").fact("oom_kills", 0);
    fact("data_filesystem", "ext4").fact("data_storage", "local").fact("data_rotational", "no");
    fact("gpus", 1).fact("gpu_models", "NVIDIA H100").fact("gpu_driver", "550.54.15").fact("gpu_mig_slices", 0);
    fact("gpu_numa_nodes", "0").fact("gpu_local_cpus", "0-15").fact("gpu_pcie_link", "32.0 GT/s x16").fact("gpu_pcie_link_max", "32.0 GT/s x16");
    cuda.facts.title = "NVIDIA H100";
    tool.version = "1";
    tool.build_type = "Release";
    environment["OMP_NUM_THREADS"] = "1";
    setting.num_workers = 16;
  }
  static std::int64_t gb(std::int64_t n) { return n * 1'000'000'000; }
  Patient& fact(const std::string& name, AxisValue value) {
    machine.facts[name] = {.value = std::move(value), .source = "test", .reason = ""};
    return *this;
  }
  Patient& fact(const std::string& name, const char* value) { return fact(name, AxisValue(std::string(value))); }
  Patient& fact(const std::string& name, std::integral auto value) { return fact(name, AxisValue(static_cast<std::int64_t>(value))); }
  Patient& unknown(const std::string& name, const std::string& reason) {
    machine.facts[name] = {.value = std::nullopt, .source = "/some/file", .reason = reason};
    return *this;
  }
  Patient& cpus(const CpuLimit& limit) {
    machine.cpus = limit;
    return *this;
  }
  std::vector<CheckFinding> findings() const { return run_checks({machine, cuda, tool, setting, environment}); }
  CheckFinding finding(const std::string& name) const {
    for (const auto& one : findings())
      if (one.name == name) return one;
    ADD_FAILURE() << "no check " << name;
    return {};
  }
  CheckStatus status(const std::string& name) const { return finding(name).status; }

  MachineFacts machine;
  DeviceProbe cuda;
  ToolFacts tool;
  DoctorSetting setting;
  std::map<std::string, std::string> environment;
};

}  // namespace

TEST(Checks, AHealthyMachineIsLeftAlone) {
  for (const auto& finding : Patient().findings()) {
    EXPECT_EQ(finding.status, CheckStatus::ok) << finding.name << ": " << finding.evidence;
    EXPECT_EQ(finding.advice, "") << finding.name;
    EXPECT_NE(finding.evidence, "") << finding.name;
  }
}

TEST(Checks, OfAMachineThatTellsNothingNothingIsClaimed) {
  const MachineFacts nothing{.cpus = {.effective = 1, .limited_by = "unknown", .online = 1, .affinity = 1, .quota = std::nullopt}, .facts = {}};
  DeviceProbe cuda;
  cuda.unusable = "no driver";
  ToolFacts tool;
  tool.build_type = "Release";
  std::set<std::string> names;
  for (const auto& finding : run_checks({nothing, cuda, tool, {}, {}})) {
    names.insert(finding.name);
    const bool needs_no_fact = finding.name == "thread_defaults" || finding.name == "cpu_throttling";
    EXPECT_EQ(finding.status, needs_no_fact ? CheckStatus::ok : CheckStatus::unknown) << finding.name << ": " << finding.evidence;
    EXPECT_NE(finding.evidence, "") << finding.name;
  }
  EXPECT_EQ(names.size(), all_checks().size()) << "every check speaks, each by its own name";
}

TEST(Checks, TheWorstComesFirst) {
  Patient patient;
  patient.fact("gpu_driver", "470.82").fact("swap_used_bytes", Patient::gb(2)).unknown("governor", "no cpufreq");
  std::vector<CheckStatus> order;
  for (const auto& finding : patient.findings()) order.push_back(finding.status);
  ASSERT_GE(order.size(), 4u);
  EXPECT_EQ((std::vector<CheckStatus>(order.begin(), order.begin() + 4)),
            (std::vector<CheckStatus>{CheckStatus::bad, CheckStatus::warn, CheckStatus::unknown, CheckStatus::ok}));
}

TEST(Checks, MoreWorkersThanTheQuotaFeedsAreNamedWithTheQuota) {
  Patient patient;
  patient.cpus({.effective = 4, .limited_by = "cgroup v2 /pod", .online = 16, .affinity = 16, .quota = 4});
  EXPECT_EQ(patient.status("cpu_quota"), CheckStatus::bad) << "16 workers on 4 CPUs";
  EXPECT_THAT(patient.finding("cpu_quota").evidence, HasSubstr("4 of 16 CPUs may be used (limited by cgroup v2 /pod); num_workers 16"));
  EXPECT_THAT(patient.finding("cpu_quota").advice, HasSubstr("lower num_workers to 4"));
  patient.setting.num_workers = 4;
  EXPECT_EQ(patient.status("cpu_quota"), CheckStatus::warn) << "programs that count CPUs still see 16";
}

TEST(Checks, ThrottlingIsAShareOfThePeriods) {
  Patient patient;
  patient.fact("quota_periods", 1000).fact("quota_throttled_ms", 2500);
  EXPECT_EQ(patient.fact("quota_throttled_periods", 9).status("cpu_throttling"), CheckStatus::ok);
  EXPECT_EQ(patient.fact("quota_throttled_periods", 10).status("cpu_throttling"), CheckStatus::warn);
  EXPECT_EQ(patient.fact("quota_throttled_periods", 100).status("cpu_throttling"), CheckStatus::bad);
  EXPECT_THAT(patient.finding("cpu_throttling").evidence, HasSubstr("10 % of its 1000 periods so far, 2.5 s lost"));
  patient.fact("quota_periods", 0).fact("quota_throttled_periods", 0);
  EXPECT_EQ(patient.status("cpu_throttling"), CheckStatus::ok);
}

TEST(Checks, UnsetThreadCountsMultiplyWithTheWorkers) {
  Patient patient;
  patient.environment.clear();
  EXPECT_EQ(patient.status("thread_defaults"), CheckStatus::warn);
  EXPECT_THAT(patient.finding("thread_defaults").evidence, HasSubstr("16 worker processes x 16 threads for 16 CPUs"));
  patient.environment["OMP_NUM_THREADS"] = "2,1";
  EXPECT_EQ(patient.status("thread_defaults"), CheckStatus::ok) << "32 threads on 16 CPUs";
  patient.environment["OMP_NUM_THREADS"] = "many";
  EXPECT_EQ(patient.status("thread_defaults"), CheckStatus::warn) << "libraries take what is no number for unset";
}

TEST(Checks, SharedMemoryHasToHoldTheBatchesOnTheirWay) {
  Patient patient;
  patient.setting = {.batch_size = 128, .num_workers = 8, .prefetch = 2, .image_size = 224, .bytes_per_value = 4};
  // 128 x 3 x 224 x 224 x 4 = 77,070,336 bytes; 8 workers hold 2 ahead and fill 1: 24 batches, 1.85 GB.
  EXPECT_EQ(patient.fact("shm_free_bytes", 64 << 20).status("shared_memory"), CheckStatus::bad) << "docker's default";
  EXPECT_THAT(patient.finding("shared_memory").evidence, HasSubstr("holds up to 1.8 GB there (77 MB a batch)"));
  EXPECT_EQ(patient.fact("shm_free_bytes", std::int64_t{1'849'688'063}).status("shared_memory"), CheckStatus::bad);
  EXPECT_EQ(patient.fact("shm_free_bytes", std::int64_t{1'849'688'064}).status("shared_memory"), CheckStatus::warn);
  EXPECT_EQ(patient.fact("shm_free_bytes", 2 * std::int64_t{1'849'688'064}).status("shared_memory"), CheckStatus::ok);
  patient.fact("shm_free_bytes", 1).setting.num_workers = 0;
  EXPECT_EQ(patient.status("shared_memory"), CheckStatus::ok) << "without workers nothing goes through it";
}

TEST(Checks, LockedMemoryIsHeldAgainstThePinnedBatches) {
  Patient patient;
  EXPECT_EQ(patient.fact("memlock_bytes", 8 << 20).status("pinned_memory"), CheckStatus::warn);
  EXPECT_EQ(patient.fact("memlock_bytes", Patient::gb(64)).status("pinned_memory"), CheckStatus::ok);
  EXPECT_EQ(patient.unknown("memlock_bytes", "can't be read").status("pinned_memory"), CheckStatus::unknown);
  EXPECT_EQ(patient.finding("pinned_memory").evidence, "memlock_bytes is not known: can't be read (/some/file)");
}

TEST(Checks, OpenFilesAreCountedForTheLoader) {
  Patient patient;
  patient.setting.num_workers = 16;  // 2 x (32 + 16) + 8 x 16 + 128 = 352
  EXPECT_EQ(patient.fact("open_files", 256).status("open_files"), CheckStatus::bad);
  EXPECT_EQ(patient.fact("open_files", 512).status("open_files"), CheckStatus::warn);
  EXPECT_EQ(patient.fact("open_files", 1024).status("open_files"), CheckStatus::ok);
}

TEST(Checks, PowersaveIsBadOnlyWhereTheDriverObeysIt) {
  Patient patient;
  EXPECT_EQ(patient.fact("governor", "powersave").status("governor"), CheckStatus::bad);
  EXPECT_EQ(patient.fact("frequency_driver", "intel_pstate").status("governor"), CheckStatus::ok);
  EXPECT_EQ(patient.fact("turbo", "off").status("governor"), CheckStatus::warn);
}

TEST(Checks, AnEmptyMemoryChannelIsNamedWithTheSlotToFill) {
  Patient patient;
  patient.fact("memory_channels", 2).fact("memory_channels_populated", 1).fact("memory_modules", "DIMM_A2 16 GiB").fact("memory_slots_empty", "DIMM_A1, DIMM_B1, DIMM_B2");
  const auto finding = patient.finding("memory_channels");
  EXPECT_EQ(finding.status, CheckStatus::bad);
  EXPECT_EQ(finding.evidence, "1 of 2 memory channels have a module (DIMM_A2 16 GiB; empty: DIMM_A1, DIMM_B1, DIMM_B2)");
  EXPECT_THAT(finding.advice, HasSubstr("up to 2 times"));
}

TEST(Checks, OneModuleIsOneChannelWhateverTheSlotsAreCalled) {
  Patient patient;
  patient.unknown("memory_channels", "'A1' names no channel").unknown("memory_channels_populated", "");
  EXPECT_EQ(patient.fact("memory_slots_populated", 1).status("memory_channels"), CheckStatus::bad);
  EXPECT_EQ(patient.fact("memory_slots_populated", 2).status("memory_channels"), CheckStatus::unknown);
  EXPECT_EQ(patient.fact("hypervisor", "KVMKVMKVM").fact("memory_slots_populated", 1).status("memory_channels"), CheckStatus::unknown)
      << "a virtual machine's one module is made up";
}

TEST(Checks, MemoryBelowItsRatedSpeedIsNamed) {
  EXPECT_EQ(Patient().fact("memory_mts", 2133).fact("memory_rated_mts", 3600).status("memory_speed"), CheckStatus::warn);
}

TEST(Checks, AGpusLinkAtRestIsNotJudged) {
  Patient patient;
  const auto finding = patient.fact("gpu_pcie_link", "2.5 GT/s x16").finding("pcie_link");
  EXPECT_EQ(finding.status, CheckStatus::unknown);
  EXPECT_THAT(finding.evidence, HasSubstr("2.5 GT/s x16 of 32.0 GT/s x16"));
  EXPECT_THAT(finding.evidence, HasSubstr("only be judged under load"));
}

TEST(Checks, CpusOnTheOtherNodeAreCounted) {
  Patient patient;
  patient.fact("numa_nodes", 2).fact("gpu_numa_nodes", "1").fact("gpu_local_cpus", "16-31");
  EXPECT_EQ(patient.fact("cpus_allowed", "0-15").status("gpu_numa"), CheckStatus::bad);
  EXPECT_THAT(patient.finding("gpu_numa").evidence, HasSubstr("0 of the 16 CPUs allowed are on the GPU's node (node 1"));
  EXPECT_EQ(patient.fact("cpus_allowed", "8-23").status("gpu_numa"), CheckStatus::warn);
  EXPECT_EQ(patient.fact("cpus_allowed", "16-19").status("gpu_numa"), CheckStatus::ok);
  EXPECT_EQ(patient.unknown("gpu_local_cpus", "the GPUs lie on several nodes").status("gpu_numa"), CheckStatus::unknown);
}

TEST(Checks, SlowPlacesForManySmallFilesAreNamed) {
  Patient patient;
  EXPECT_EQ(patient.fact("data_storage", "network").fact("data_filesystem", "nfs4").status("data_storage"), CheckStatus::warn);
  EXPECT_THAT(patient.finding("data_storage").evidence, HasSubstr("nfs4"));
  EXPECT_EQ(patient.fact("data_storage", "host").status("data_storage"), CheckStatus::bad);
  EXPECT_EQ(patient.fact("data_storage", "overlay").status("data_storage"), CheckStatus::warn);
  EXPECT_EQ(patient.fact("data_storage", "local").fact("data_rotational", "yes").status("data_storage"), CheckStatus::warn);
  EXPECT_EQ(patient.fact("hypervisor", "KVMKVMKVM").status("data_storage"), CheckStatus::unknown) << "virtual disks say so whatever is behind";
  EXPECT_EQ(patient.fact("data_storage", "other").fact("data_rotational", "no").status("data_storage"), CheckStatus::unknown);
}

TEST(Checks, MemoryThatRunsShortIsSeenInSwapKillsAndRoom) {
  EXPECT_EQ(Patient().fact("swap_used_bytes", Patient::gb(1)).status("swap"), CheckStatus::warn);
  EXPECT_EQ(Patient().fact("swap_bytes", 0).status("swap"), CheckStatus::ok);
  EXPECT_EQ(Patient().fact("oom_kills", 1).status("memory_room"), CheckStatus::warn);
  EXPECT_EQ(Patient().fact("memory_available_bytes", Patient::gb(1)).status("memory_room"), CheckStatus::bad);
}

TEST(Checks, HugePagesMatterForLargeBatchesOnly) {
  Patient patient;
  EXPECT_EQ(patient.fact("transparent_huge_pages", "never").status("huge_pages"), CheckStatus::warn);
  patient.setting.batch_size = 1;
  EXPECT_EQ(patient.status("huge_pages"), CheckStatus::ok);
}

TEST(Checks, ASliceOfAGpuIsSaid) {
  EXPECT_EQ(Patient().fact("gpu_mig_slices", 2).status("mig"), CheckStatus::warn);
  Patient inside;
  inside.unknown("gpu_mig_slices", "not there").cuda.facts.title = "NVIDIA H100 80GB HBM3 MIG 1g.10gb";
  EXPECT_EQ(inside.status("mig"), CheckStatus::warn);
}

TEST(Checks, AnOldDriverAndAGpuThatCudaDoesNotUseAreBad) {
  Patient patient;
  EXPECT_EQ(patient.fact("gpu_driver", "470.82.01").status("gpu_driver"), CheckStatus::bad);
  EXPECT_EQ(patient.fact("gpu_driver", "525.60.13").status("gpu_driver"), CheckStatus::ok);
  patient.cuda.unusable = "the driver shows no GPU; CUDA_VISIBLE_DEVICES='' may hide it";
  EXPECT_EQ(patient.status("cuda"), CheckStatus::bad);
  EXPECT_THAT(patient.finding("cuda").evidence, HasSubstr("CUDA_VISIBLE_DEVICES"));
  EXPECT_EQ(patient.fact("gpus", 0).unknown("gpu_driver", "no NVIDIA driver is loaded").status("cuda"), CheckStatus::ok) << "there is none to use";
  EXPECT_EQ(patient.status("gpu_driver"), CheckStatus::ok);
}

TEST(Checks, AProgramThatIsSlowItselfIsSaid) {
  Patient patient;
  patient.environment["JSIMD_FORCENONE"] = "1";
  EXPECT_EQ(patient.status("build"), CheckStatus::bad);
  Patient debug;
  debug.tool.build_type = "Debug";
  EXPECT_EQ(debug.status("build"), CheckStatus::bad);
  EXPECT_EQ(Patient().fact("cpu_simd", "sse2").status("build"), CheckStatus::warn);
}
