// The program on --device cuda as a user meets it, on the fake: sweeps, refusals, and trials that fail in ways a GPU fails.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "cuda_program.hpp"
#include "json/run_json.hpp"
#include "model/model.hpp"
#include "store/run_folder.hpp"

namespace feedtune {
namespace {

using testing::HasSubstr;
using test::CudaProgram;
using test::Outcome;
using test::read;

TEST_F(CudaProgram, AWholeSweepRunsAndItsResultIsNoGpus) {
  const Outcome swept = run("", sweep("whole"));
  ASSERT_EQ(swept.code, 0) << swept.err;
  EXPECT_THAT(swept.out, HasSubstr("fake: "));
  EXPECT_EQ(run("", "validate " + (folder_ / "whole").string()).code, 0);
  const feedtune::Run result = load_run((folder_ / "whole").string());
  EXPECT_EQ(result.device.name, "cuda");
  EXPECT_EQ(result.device.title, "fake");
  EXPECT_EQ(result.device.pci_address, "0000:65:00.0");
  EXPECT_TRUE(result.device.fake);
  EXPECT_FALSE(result.device.modelled);
  const auto fact = [&](const char* name) { return result.device.facts.at(name); };
  EXPECT_EQ(fact("driver").value, AxisValue(std::string("550.54.15")));
  EXPECT_EQ(fact("sm_mhz_max").value, AxisValue(std::int64_t{1980}));
  EXPECT_EQ(fact("power_limit_w").value, AxisValue(std::int64_t{350}));
  EXPECT_EQ(fact("ecc").value, AxisValue(std::string("on")));
  EXPECT_EQ(fact("pcie_width_max").value, AxisValue(std::int64_t{16}));
  EXPECT_EQ(fact("compute_capability").value, AxisValue(std::string("9.0")));
  EXPECT_FALSE(fact("persistence").value);
  EXPECT_EQ(fact("persistence").reason, "NVML: Not Supported") << "what the driver does not say is null with the reason";
  int measured = 0;
  for (const auto& trial : result.trials) {
    EXPECT_EQ(trial.status, TrialStatus::ok) << trial.reason;
    if (trial.purpose != Purpose::trial) continue;
    ++measured;
    for (const char* phase : {"h2d", "forward", "backward", "update", "step"})
      EXPECT_GT(trial.phases.at(phase).mean, 0) << phase << " is timed by the device's events";
    EXPECT_GT(trial.memory.device_peak_bytes, 0);
    // The fake counts what is allocated on it: our sum, and our scratch memory beside it.
    ASSERT_EQ(trial.memory.device_driver_bytes.has_value(), trial.memory.device_peak_bytes.has_value());
    if (trial.memory.device_driver_bytes) { EXPECT_GE(trial.memory.device_driver_bytes, trial.memory.device_peak_bytes) << "the driver sees all that we took, and more"; }
    ASSERT_TRUE(trial.gpu) << "its own counters stand beside our events";
    EXPECT_NEAR(trial.gpu->utilization.value_or(0), 0.7, 1e-9);
    EXPECT_EQ(trial.gpu->pcie_width_max, 16);
    EXPECT_EQ(trial.unknown.at("gpu.power_w"), "NVML: Not Supported");
    EXPECT_FALSE(trial.modelled);
  }
  EXPECT_GE(measured, 4);

  const Outcome refused = run("", "recommend " + (folder_ / "whole").string());
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("--allow-fake"));
  const Outcome allowed = run("", "recommend --allow-fake " + (folder_ / "whole").string());
  EXPECT_EQ(allowed.code, 0) << allowed.err;
  EXPECT_THAT(allowed.out, HasSubstr("fake: "));
}

TEST_F(CudaProgram, DoctorSaysWhetherAndWhyNotCudaIsUsed) {
  const Outcome usable = run("", "doctor");
  ASSERT_EQ(usable.code, 0) << usable.err;
  EXPECT_THAT(usable.out, HasSubstr("cuda can be used: fake"));
  const Outcome old = run("old_driver", "doctor --format json");
  ASSERT_EQ(old.code, 0) << old.err;
  EXPECT_THAT(old.out, HasSubstr("\"usable\": false"));
  EXPECT_THAT(old.out, HasSubstr("the NVIDIA driver is too old"));
}

TEST_F(CudaProgram, EveryPrecisionRuns) {
  const Outcome swept = run("", sweep("precisions", "--axis batch_size=4 --axis num_workers=1 --axis precision=fp32,tf32,bf16,fp16 "
                                                    "--axis host_memory=pinned --budget 20trials"));
  ASSERT_EQ(swept.code, 0) << swept.err;
  for (const auto& trial : load_run((folder_ / "precisions").string()).trials) EXPECT_EQ(trial.status, TrialStatus::ok) << trial.reason;
}

TEST_F(CudaProgram, AGpuWhoseOwnCounterSwingsIsFound) {
  const Outcome swept = run("nvml_period=0.6", "sweep --data " + (folder_ / "images").string() + " --out " + (folder_ / "swings").string() +
                                                   " --device cuda --model mixer-pico --image-size 32 --axis batch_size=4 --axis num_workers=1 --axis loader=pooled "
                                                   "--axis host_memory=pageable --trial-time 6s --budget 1trials --no-anchors");
  // On a busy machine the one trial may not settle, and then no trial worked (3): its samples are there all the same.
  ASSERT_THAT(swept.code, testing::AnyOf(0, 3)) << swept.err;
  bool seen = false;
  for (const auto& trial : load_run((folder_ / "swings").string()).trials) {
    if (trial.purpose != Purpose::trial) {
      EXPECT_FALSE(trial.oscillation);
      continue;
    }
    ASSERT_TRUE(trial.gpu && trial.gpu->oscillation);
    seen = true;
    EXPECT_NEAR(trial.gpu->oscillation->period_s, 0.6, 0.06);
    EXPECT_NEAR(trial.gpu->oscillation->duty, 0.5, 0.1);
    EXPECT_NEAR(trial.gpu->oscillation->low, 0.05, 0.05);
    EXPECT_NEAR(trial.gpu->oscillation->high, 0.95, 0.05);
  }
  EXPECT_TRUE(seen);
}

TEST_F(CudaProgram, RegisteredBuffersAreSweptBesideAllocatedOnesAndARefusedOneIsUnsupported) {
  const std::string axes = "--budget 12trials --axis batch_size=4 --axis num_workers=1 --axis host_memory=pageable,pinned --axis pinning=alloc,register";
  const Outcome swept = run("", sweep("register", axes));
  ASSERT_EQ(swept.code, 0) << swept.err;
  EXPECT_THAT(swept.err, HasSubstr("pinning: pageable memory is not pinned (1 of 3 configurations)"));
  std::map<std::string, std::int64_t> pinned_bytes;
  for (const auto& trial : load_run((folder_ / "register").string()).trials) {
    EXPECT_EQ(trial.status, TrialStatus::ok) << trial.reason;
    if (trial.purpose == Purpose::trial) pinned_bytes[trial.configuration.text("pinning").value_or("pageable")] = trial.memory.pinned_bytes.value_or(-1);
  }
  const std::int64_t batch = 4 * 3 * 32 * 32, labels = 4 * 4, slots = 7;
  EXPECT_EQ(pinned_bytes["pageable"], 0);
  EXPECT_EQ(pinned_bytes["alloc"], 2 * labels + slots * batch);
  EXPECT_EQ(pinned_bytes["register"], 2 * labels + slots * batch) << "12,288 bytes are three pages";

  const Outcome refused = run("pinned=20000", sweep("register_refused", axes));
  EXPECT_EQ(refused.code, 0) << refused.err;
  for (const auto& trial : load_run((folder_ / "register_refused").string()).trials)
    if (trial.purpose == Purpose::trial && trial.configuration.text("pinning") == "register") {
      EXPECT_EQ(trial.status, TrialStatus::unsupported);
      EXPECT_THAT(trial.reason, HasSubstr("the driver refused 12288 bytes of pinned host memory"));
    }
}

TEST_F(CudaProgram, PageableMemoryNeedsNothingPinned) {
  const Outcome swept = run("pinned=0", sweep("pageable", "--budget 4trials --axis batch_size=4 --axis num_workers=1 --axis host_memory=pageable"));
  EXPECT_EQ(swept.code, 0) << swept.err;
  for (const auto& trial : load_run((folder_ / "pageable").string()).trials) EXPECT_EQ(trial.status, TrialStatus::ok) << trial.reason;
}

TEST_F(CudaProgram, AutoTakesItOrSaysWhyNotAndCudaThenExitsWith6) {
  const std::string data = "sweep --data " + (folder_ / "images").string() + " --dry-run ";
  EXPECT_THAT(run("", data).err, testing::Not(HasSubstr("device cpu")));
  for (const auto& [fake, reason] : {std::pair{"no_driver", "no NVIDIA driver"}, std::pair{"old_driver", "driver is too old"},
                                     std::pair{"no_device", "the NVIDIA driver shows no GPU"}}) {
    const Outcome automatic = run(fake, data);
    EXPECT_EQ(automatic.code, 0) << automatic.err;
    EXPECT_THAT(automatic.err, HasSubstr("device cpu: cuda can't be used: "));
    EXPECT_THAT(automatic.err, HasSubstr(reason));
    const Outcome demanded = run(fake, data + "--device cuda");
    EXPECT_EQ(demanded.code, 6);
    EXPECT_THAT(demanded.err, HasSubstr(reason));
    EXPECT_THAT(run(fake, "devices").out, HasSubstr(reason));
  }
  ::setenv("CUDA_VISIBLE_DEVICES", "7", 1);
  EXPECT_THAT(run("no_device", "devices").out, HasSubstr("CUDA_VISIBLE_DEVICES='7'"));
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const std::string hidden = "CUDA_VISIBLE_DEVICES is set to nothing, which hides every GPU";
  EXPECT_THAT(run("", "devices").out, HasSubstr(hidden));
  EXPECT_THAT(run("", data).err, HasSubstr(hidden));
  EXPECT_EQ(run("", data + "--device cuda").code, 6);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST_F(CudaProgram, AnUnfitPluginFileIsNamedAsSuchAndNotTheLibrariesThatItWouldNeed) {
  const std::filesystem::path there = folder_ / "unfit", built = std::filesystem::path(build_paths::program).parent_path() / "feedtune-cuda.so";
  std::filesystem::create_directories(there);
  std::filesystem::copy_file(build_paths::program, there / "feedtune");
  const std::string whole = read(built);
  std::string other = whole;
  other[18] = static_cast<char>(183);  // e_machine: EM_AARCH64 (ELF for the Arm 64-bit Architecture)
  other[19] = 0;
  const std::pair<std::string, std::string> unfit[] = {{"", "is empty"},
                                                       {"not a library at all, but long enough to hold a header of 64 bytes\n", "is no shared library"},
                                                       {std::string(whole.size(), '\0'), "is no shared library"},
                                                       {whole.substr(0, 40), "is no shared library"},
                                                       {whole.substr(0, whole.size() / 2), "is cut off: it has"},
                                                       {whole.substr(0, whole.size() - 1), "is cut off: it has"},
                                                       {other, "is built for another processor"}};
  for (const auto& [bytes, reason] : unfit) {
    std::ofstream(there / "feedtune-cuda.so", std::ios::binary) << bytes;
    const auto asked = [&](const std::string& arguments) {
      return test::run_command("LD_LIBRARY_PATH=" + std::string(build_paths::fake_cuda) + " " + (there / "feedtune").string() + " " + arguments, folder_);
    };
    const Outcome listed = asked("devices");
    EXPECT_EQ(listed.code, 0) << listed.err;
    EXPECT_THAT(listed.out, HasSubstr("feedtune-cuda.so " + reason));
    EXPECT_THAT(listed.out, testing::Not(HasSubstr("libcudart")));
    const Outcome demanded = asked("sweep --dry-run --device cuda --data " + (folder_ / "images").string());
    EXPECT_EQ(demanded.code, 6);
    EXPECT_THAT(demanded.err, HasSubstr(reason));
  }
}

TEST_F(CudaProgram, ATrialThatRunsOutOfDeviceOrPinnedMemoryIsAStatusAndTheOthersGoOn) {
  const Outcome swept = run("pinned=20000", sweep("pinned"));
  EXPECT_EQ(swept.code, 0) << swept.err;
  int unsupported = 0, ok = 0;
  for (const auto& trial : load_run((folder_ / "pinned").string()).trials) {
    if (trial.status == TrialStatus::unsupported && trial.reason.find("pinned host memory") != std::string::npos) ++unsupported;
    if (trial.status == TrialStatus::ok && trial.purpose == Purpose::trial) ++ok;
  }
  EXPECT_GT(unsupported, 0);
  EXPECT_GT(ok, 0);

  // Scratch memory, then a batch of 4 fits and one of 24 doesn't.
  const auto planned = [](int batch) { return planned_device_bytes(model_preset("mixer-pico"), 32, batch, Precision::fp16, InputType::uint8, 2); };
  ASSERT_GT(planned(24), planned(4) + 100'000);
  const std::uint64_t memory = (36 << 20) + planned(4) + 50'000;
  const Outcome full = run("memory=" + std::to_string(memory), sweep("full", "--axis batch_size=4,24 --axis num_workers=1 --axis precision=fp16 --axis host_memory=pageable"));
  EXPECT_EQ(full.code, 0) << full.err;
  bool seen = false;
  for (const auto& trial : load_run((folder_ / "full").string()).trials) seen = seen || trial.status == TrialStatus::out_of_memory;
  EXPECT_TRUE(seen);
  for (const auto& trial : load_run((folder_ / "full").string()).trials)
    EXPECT_EQ(trial.status == TrialStatus::out_of_memory, trial.memory_kind == MemoryKind::device) << trial.reason;
}

TEST_F(CudaProgram, AnErrorThatSticksEndsOnlyItsTrial) {
  // Every process counts its own kernels: a trial of the model has hundreds, one of the loader or the copy alone a few.
  const Outcome failed = run("fail_kernel=200", sweep("sticky", "--axis batch_size=4 --axis num_workers=0,1 --axis host_memory=pageable"));
  EXPECT_EQ(failed.code, 3) << "no trial of the step worked\n" << failed.err;
  int crashed = 0, ok = 0;
  for (const auto& trial : load_run((folder_ / "sticky").string()).trials) {
    if (trial.status == TrialStatus::crashed) {
      ++crashed;
      EXPECT_THAT(trial.reason, HasSubstr("cudaErrorIllegalAddress"));
    }
    if (trial.status == TrialStatus::ok) ++ok;
  }
  EXPECT_GT(crashed, 0);
  EXPECT_GT(ok, 0) << "the loader alone needs no kernel";
}

using SlowCudaProgram = CudaProgram;

TEST_F(SlowCudaProgram, EveryPrecisionTransferAndSyncRuns) {
  const Outcome swept = run("", sweep("axes", "--axis batch_size=4 --axis num_workers=0,1 --axis precision=fp32,tf32,bf16,fp16 --axis transfer=blocking,overlapped --axis sync=none,each "
                                               "--axis host_memory=pinned"));
  ASSERT_EQ(swept.code, 0) << swept.err;
  for (const auto& trial : load_run((folder_ / "axes").string()).trials) EXPECT_EQ(trial.status, TrialStatus::ok) << trial.reason;
}

TEST_F(SlowCudaProgram, AHangEndsOnlyItsTrialAtItsDeadline) {
  const Outcome hung = run("hang_kernel=200", sweep("hang", "--axis batch_size=4 --axis num_workers=1 --axis host_memory=pageable"));
  EXPECT_EQ(hung.code, 3) << hung.err;
  int timeouts = 0, ok = 0;
  for (const auto& trial : load_run((folder_ / "hang").string()).trials) {
    if (trial.status == TrialStatus::timeout) ++timeouts;
    if (trial.status == TrialStatus::ok) ++ok;
  }
  EXPECT_GT(timeouts, 0);
  EXPECT_GT(ok, 0) << "the loader alone needs no kernel";
}

}  // namespace
}  // namespace feedtune
