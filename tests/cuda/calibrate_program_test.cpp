// `feedtune calibrate` on the fake: what is written, what is refused, and that a stop leaves no half file.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "build_paths.hpp"
#include "cuda_program.hpp"
#include "json/device_profile_json.hpp"
#include "measure/statistics.hpp"
#include "model/model.hpp"
#include "store/run_folder.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;
using feedtune::test::read;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Calibrate : public test::CudaProgram {
 protected:
  static std::string path(const std::string& name) { return (folder_ / name).string(); }
  /// A few seconds on a step of milliseconds.
  static std::string calibrate(const std::string& name, const std::string& more = "--time 12s") {
    return "calibrate --allow-fake --model mixer-pico --image-size 32 --batch 2,4,8,16 --quiet -o " + path(name) + " " + more;
  }
  static DeviceProfile profile(const std::string& name) { return decode_device_profile(read(path(name)), name); }
};

TEST_F(Calibrate, WritesAProfileThatASweepTakesAndThatStaysAFakes) {
  const test::Outcome done = run("memory=3e9", calibrate("pico.json", "--precision fp32,bf16 --time 20s"));
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("fake: "));
  EXPECT_THAT(done.out, HasSubstr("Held out: batch 6"));
  EXPECT_TRUE(done.err.empty()) << done.err;

  const DeviceProfile made = profile("pico.json");
  EXPECT_EQ(made.name, "pico");
  EXPECT_EQ(made.fake, "fake");
  EXPECT_EQ(made.host_wait, HostWait::block) << "the fake's host sleeps on a condition";
  EXPECT_LE(made.memory_gb.value, 3) << "less what cuBLAS's workspace takes";
  EXPECT_GT(made.memory_gb.value, 2.9);
  EXPECT_EQ(made.peak_tflops.size(), 4u) << "fp32, tf32, bf16, fp16";
  EXPECT_EQ(made.gemm_efficiency_by_precision.size(), 3u) << "each precision has its own shares; those of the first step's stand in gemm_efficiency";
  EXPECT_THAT(made.gemm_efficiency_provenance.source, HasSubstr("square GEMMs in fp32"));
  ASSERT_EQ(made.steps.size(), 2u);
  for (const StepCurve& curve : made.steps) {
    EXPECT_GE(curve.points.size(), 3u);
    ASSERT_TRUE(curve.hold_out);
    EXPECT_EQ(curve.interpolated, std::abs(curve.hold_out->line_misfit) > 0.03);
    EXPECT_EQ(curve.memory_misfit, 0) << "the planner is exact";
    EXPECT_GT(curve.host_ms.value, 0);
    for (const StepPoint& point : curve.points)
      EXPECT_EQ(static_cast<std::uint64_t>(point.device_bytes),
                planned_device_bytes(model_preset("mixer-pico"), 32, point.batch_size, curve.precision, InputType::uint8, 1));
  }

  const test::Outcome swept = run("no_driver", sweep("on_profile", "--axis batch_size=4 --axis num_workers=1 --axis host_memory=pinned --axis precision=fp32 --budget 6trials",
                                                     "virtual:" + path("pico.json")));
  ASSERT_EQ(swept.code, 0) << swept.err;
  EXPECT_THAT(swept.err, Not(HasSubstr("was not measured")));
  const feedtune::Run result = load_run(path("on_profile"));
  EXPECT_EQ(result.device.name, "virtual:pico") << "no path stands in a result";
  EXPECT_TRUE(result.device.fake);
  EXPECT_TRUE(result.device.modelled);
  const test::Outcome refused = run("no_driver", "recommend " + path("on_profile"));
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("--allow-fake"));

  const test::Outcome other = run("no_driver", sweep("other_step", "--axis batch_size=4 --axis precision=fp16 --dry-run", "virtual:" + path("pico.json")));
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_THAT(other.err, HasSubstr("the step of mixer-pico in fp16 at 32 pixels was not measured and is computed from GEMM rates"));

  const test::Outcome far = run("no_driver", sweep("far", "--axis batch_size=4,20 --axis precision=fp32 --dry-run", "virtual:" + path("pico.json")));
  EXPECT_EQ(far.code, 0) << far.err;
  EXPECT_THAT(far.err, HasSubstr("batch_size 20 lies beyond what was measured (mixer-pico in fp32 at batch sizes "));
}

TEST_F(Calibrate, CopyRatesAreTheFakesOwn) {
  // Far below what the host's memory gives, so that the set rate is what binds.
  constexpr double pinned = 0.4, pageable = 0.2, most = 1.02;
  DeviceProfile made;
  // A busy machine only makes copies slower; where that hits the small ones alone, the line through all sizes is too flat, its rate
  // too high. Then once more.
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const std::string file = "copies-" + std::to_string(attempt) + ".json";
    ASSERT_EQ(run("h2d_gbps=0.4,pageable_gbps=0.2", calibrate(file)).code, 0);
    made = profile(file);
    for (const CopyCurve& curve : made.copies)
      for (const CopyPoint& point : curve.points)
        EXPECT_GE(point.low_us, point.bytes * 1e-3 / (curve.host_memory == HostMemory::pinned ? pinned : pageable)) << point.bytes << " bytes";
    if (made.pinned_h2d_gb_s->value <= pinned * most && made.pageable_h2d_gb_s.value <= pageable * most) break;
  }
  EXPECT_LE(made.pinned_h2d_gb_s->value, pinned * most);
  EXPECT_LE(made.pageable_h2d_gb_s.value, pageable * most);
  EXPECT_GT(made.pinned_h2d_gb_s->value, made.pageable_h2d_gb_s.value) << "each kind has its own rate";
}

TEST_F(Calibrate, WhatCannotBeMeasuredIsRefusedBeforeItBegins) {
  const auto refused = [&](const std::string& fake, const std::string& arguments, int code, const std::string& text) {
    const test::Outcome outcome = run(fake, arguments);
    EXPECT_EQ(outcome.code, code) << arguments << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(text)) << arguments;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_LT(outcome.seconds, 10) << arguments;
    EXPECT_FALSE(fs::exists(path("no.json"))) << arguments;
  };
  const std::string to = " -o " + path("no.json");
  refused("", "calibrate" + to, 3, "is the tests' fake GPU");
  refused("no_driver", "calibrate" + to, 6, "no NVIDIA driver");
  refused("no_driver", "calibrate --device auto" + to, 6, "no NVIDIA driver");
  refused("", "calibrate --device cpu" + to, 3, "shares the cores with the loader");
  refused("", "calibrate --device virtual:t4" + to, 3, "is modelled");
  refused("", "calibrate --device gpu" + to, 6, "unknown device");
  refused("", calibrate("no.json", "--precision fp8"), 2, "--precision: got 'fp8', want fp32, tf32, bf16, fp16");
  refused("compute=7", calibrate("no.json", "--precision tf32"), 3, "--precision: tf32: fake has fp32, fp16");
  refused("", "calibrate --batch 2,4,8" + to, 2, "--batch: got 3 batch sizes, want 4");
  refused("", "calibrate --batch 2,4,8,x" + to, 2, "--batch: got 'x', want an integer");
  refused("", "calibrate --model mixer-s61" + to, 3, "did you mean mixer-s16?");
  refused("", "calibrate --image-size 33" + to, 3, "33");
  refused("", "calibrate --time 60" + to, 2, "--time: got \"60\"");
  refused("", "calibrate --name ../x" + to, 2, "--name: got '../x'");
  refused("", "calibrate -o " + path("nowhere/no.json"), 5, "nowhere");
  refused("", "calibrate", 2, "--output is required");
  refused("", "calibrate -o '" + path("two words.json") + "'", 2, "two words.json': the profile would be called 'two words'");
}

TEST_F(Calibrate, WherePinnedMemoryIsRefusedItsFiguresAreLeftOutAndNeverGuessed) {
  const test::Outcome done = run("pinned=0", calibrate("pageable.json"));
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("copies from pinned memory: the driver refused"));
  const DeviceProfile made = profile("pageable.json");
  EXPECT_FALSE(made.pinned_h2d_gb_s);
  ASSERT_EQ(made.copies.size(), 1u);
  EXPECT_EQ(made.copies[0].host_memory, HostMemory::pageable);
  EXPECT_EQ(run("no_driver", "validate " + path("pageable.json")).code, 0);
  const test::Outcome swept = run("no_driver", sweep("no_pinned", "--axis batch_size=4 --axis num_workers=1 --axis host_memory=pageable,pinned --axis precision=" + std::string(to_text(made.steps[0].precision)) + " --budget 8trials",
                                                     "virtual:" + path("pageable.json")));
  ASSERT_EQ(swept.code, 0) << swept.err;
  int unsupported = 0;
  for (const auto& trial : load_run(path("no_pinned")).trials) {
    if (trial.configuration.text("host_memory") != "pinned") continue;
    EXPECT_EQ(trial.status, TrialStatus::unsupported) << trial.reason;
    ++unsupported;
  }
  EXPECT_GT(unsupported, 0);
}

TEST_F(Calibrate, ARateThatNoSuchGpuHasIsSaid) {
  // Configs of our own in which "fake" is a card far faster, and far slower, than any host that runs the fake.
  const std::string shipped = std::string(build_paths::sources) + "/configs";
  fs::copy(shipped, folder_ / "configs", fs::copy_options::recursive);
  const auto with_peak = [&](double tflops) {
    DeviceProfile card = decode_device_profile(read(shipped + "/devices/t4.json"), "t4");
    card.driver_names = {"fake"};
    for (auto& [precision, figure] : card.peak_tflops) figure.value = figure.provenance.low = figure.provenance.high = tflops;
    std::ofstream(path("configs/devices/t4.json")) << encode(card);
  };
  ::setenv("FEEDTUNE_CONFIGS", path("configs").c_str(), 1);
  with_peak(1e6);
  EXPECT_THAT(run("", calibrate("slow.json")).out, HasSubstr("GEMM in fp32, TFLOP/s: "));
  with_peak(1e-5);
  const std::string fast = run("", calibrate("fast.json")).out;
  ::setenv("FEEDTUNE_CONFIGS", shipped.c_str(), 1);
  EXPECT_THAT(fast, HasSubstr("times the most that is published"));
  EXPECT_THAT(run("", calibrate("unjudged.json")).out, HasSubstr("no profile of configs/devices is for fake"));
}

TEST_F(Calibrate, AFileThatIsThereIsKept) {
  std::ofstream(path("mine.json")) << "mine";
  const test::Outcome refused = run("", calibrate("mine.json"));
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("is there already"));
  EXPECT_EQ(read(path("mine.json")), "mine");
}

TEST_F(Calibrate, OutOfMemoryAtTheLargestBatchJustEndsTheCurve) {
  // 36 MiB of scratch memory, as in the sweep's test; a batch of 4096 images of 32 pixels takes more than what is left.
  const std::uint64_t memory = (36 << 20) + planned_device_bytes(model_preset("mixer-pico"), 32, 1024, Precision::fp32, InputType::uint8, 1);
  const test::Outcome done = run("memory=" + std::to_string(memory),
                                  "calibrate --allow-fake --model mixer-pico --image-size 32 --precision fp32 --batch 2,4,8,4096 --time 15s --quiet -o " + path("small.json"));
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("batch_size 4096: out_of_memory"));
  const DeviceProfile made = profile("small.json");
  ASSERT_EQ(made.steps.size(), 1u);
  EXPECT_EQ(made.steps[0].points.back().batch_size, 8);
}

TEST_F(Calibrate, TheTimeIsKeptAndTooLittleOfItIsSaid) {
  // Slack: a trial's start-up, and the end of the program on a busy machine.
  const test::Outcome short_time = run("", calibrate("short.json", "--time 2s"));
  EXPECT_LT(short_time.seconds, 2 + 8) << short_time.err;
  EXPECT_THAT(short_time.code, AnyOf(0, 3)) << "by how far it came; the device is there";
  EXPECT_EQ(fs::exists(path("short.json")), short_time.code == 0);
  if (short_time.code != 0) { EXPECT_FALSE(short_time.err.empty()); }
  const test::Outcome hung = run("hang_kernel=50", calibrate("hung.json", "--time 6s"));
  EXPECT_LT(hung.seconds, 6 + 8);
  EXPECT_EQ(hung.code, 3) << "the device hangs in every process";
  EXPECT_THAT(hung.err, HasSubstr("--time: too short"));
  EXPECT_FALSE(fs::exists(path("hung.json")));
}

TEST_F(Calibrate, AStopOrAKillLeavesNoFile) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    const std::string command = "exec env LD_LIBRARY_PATH=" + std::string(build_paths::fake_cuda) + " " + build_paths::program + " " +
                                calibrate("stopped.json", "--time 60s") + " >/dev/null 2>&1";
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    std::this_thread::sleep_for(std::chrono::seconds(2));
    ASSERT_EQ(::kill(child, signal), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (signal == SIGTERM) {
      ASSERT_TRUE(WIFEXITED(status));
      EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
    }
    EXPECT_FALSE(fs::exists(path("stopped.json")));
  }
}

TEST_F(Calibrate, AFullDiskLosesNoMeasurement) {
  // No file may grow beyond one block: the profile is larger. stdout is a pipe.
  const std::string command = "(trap '' XFSZ; ulimit -f 1; LD_LIBRARY_PATH=" + std::string(build_paths::fake_cuda) + " " + build_paths::program + " " +
                              calibrate("full.json") + " 2>" + path("full.err") + "; echo $? >" + path("full.code") + ") | cat >" + path("full.out");
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read(path("full.code")), "5\n");
  EXPECT_THAT(read(path("full.err")), HasSubstr("full.json: cannot write"));
  EXPECT_EQ(decode_device_profile(read(path("full.out")), "stdout").name, "full");
  EXPECT_FALSE(fs::exists(path("full.json")));
  for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_FALSE(entry.path().filename().string().starts_with(".full.json")) << entry.path();
}

/// Sweeps a space in which the step binds, on the fake and on its profile, and compares what both give.
using SlowCalibrate = Calibrate;

TEST_F(SlowCalibrate, ASweepOnTheProfileGivesWhatTheDeviceGives) {
  ASSERT_EQ(run("", "calibrate --allow-fake --model mixer-tiny --image-size 64 --precision fp32 --batch 2,4,8,16 --time 60s --quiet -o " + path("tiny.json")).code, 0);
  const DeviceProfile made = profile("tiny.json");
  const StepCurve& curve = made.steps.at(0);
  const auto sweep_of = [&](const std::string& device, const std::string& out) {
    return "sweep --data " + path("images") + " --out " + path(out) + " --device " + device +
           " --model mixer-tiny --image-size 64 --axis loader=pooled --axis storage=memory --axis precision=fp32 --axis host_memory=pinned"
           " --axis batch_size=4,8 --axis num_workers=1 --trial-time 1s --no-anchors --quiet --budget 8trials";
  };
  std::map<int, std::vector<double>> on_device, on_profile;  // log images/s by batch size
  std::vector<std::string> bound_by;
  for (int round = 0; round < 3; ++round) {
    for (const bool modelled : {false, true}) {
      const std::string out = (modelled ? "profile" : "device") + std::to_string(round);
      const test::Outcome swept = run("", sweep_of(modelled ? "virtual:" + path("tiny.json") : "cuda", out));
      ASSERT_THAT(swept.code, AnyOf(0, 7)) << swept.err;
      const feedtune::Run result = load_run(path(out));
      for (const TrialResult& trial : result.trials) {
        if (trial.purpose != Purpose::trial || trial.status != TrialStatus::ok || trial.configuration.text("loader") != "pooled") continue;
        (modelled ? on_profile : on_device)[static_cast<int>(*trial.configuration.integer("batch_size"))].push_back(std::log(trial.images_per_s->mean));
      }
      ASSERT_TRUE(result.recommendation);
      bound_by.push_back(result.recommendation->bound_by);
    }
  }
  EXPECT_THAT(bound_by, testing::Each(bound_by.front())) << "what binds is the same on both";
  for (const int batch : {4, 8}) {
    ASSERT_GE(on_device[batch].size(), 2u);
    ASSERT_GE(on_profile[batch].size(), 2u);
    const auto half_width = [](const Interval& interval) { return (interval.high - interval.low) / 2; };
    const Interval device = interval_of_mean(on_device[batch]), modelled = interval_of_mean(on_profile[batch]);
    const auto point = std::find_if(curve.points.begin(), curve.points.end(), [&](const StepPoint& p) { return p.batch_size == batch; });
    ASSERT_NE(point, curve.points.end());
    // Both means' intervals, the calibrated point's own, how far the profile is from it by its own account, and a hundredth for what the
    // trial adds to the step (the copy's end, two steps in flight).
    const double tolerance = half_width(device) + half_width(modelled) + (point->high_ms - point->low_ms) / 2 / point->step_ms() +
                             std::max(std::abs(curve.hold_out->misfit), 0.03) + 0.01;
    RecordProperty("difference_" + std::to_string(batch), std::to_string(modelled.mean - device.mean));
    RecordProperty("tolerance_" + std::to_string(batch), std::to_string(tolerance));
    if (tolerance > 0.5) GTEST_SKIP() << "the machine is too busy to tell: tolerance " << tolerance;
    EXPECT_NEAR(modelled.mean, device.mean, tolerance) << "batch " << batch;
  }
}

}  // namespace
}  // namespace feedtune
