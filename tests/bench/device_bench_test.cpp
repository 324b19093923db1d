// feedtune-bench --device: what is measured on a device, and that what is said of it agrees with itself.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <map>

#include "build_paths.hpp"
#include "run_command.hpp"
#include "json/outcomes.hpp"
#include "json/device_profile_json.hpp"
#include "model/model.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::run;
using testing::HasSubstr;

const fs::path bench = fs::path(build_paths::program).parent_path() / "feedtune-bench";

class DeviceBench : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(bench)) GTEST_SKIP() << "this build has no feedtune-bench";
  }
};

std::map<std::string, BenchmarkOutcome> outcomes(const std::string& arguments) {
  const auto out = fs::path(testing::TempDir()) / ("bench-" + std::to_string(::getpid()) + ".json");
  const Outcome ran =
      run(bench.string() + " --benchmark_min_time=0.01 --benchmark_out=" + out.string() + " --benchmark_out_format=json " + arguments);
  EXPECT_EQ(ran.code, 0) << ran.out;
  std::map<std::string, BenchmarkOutcome> named;
  for (auto& one : read_benchmark_outcomes(test::read(out), out.string())) named[one.name] = one;
  fs::remove(out);
  return named;
}

/// Google Benchmark ends when the times of the iterations add up to its half second: a time that left out a part of a burst would let it
/// run for as many times longer, far over gpu_check.sh's limits.
void expect_time_of_all_the_work(const BenchmarkOutcome& outcome, double seconds) {
  EXPECT_NEAR(outcome.numbers.at("real_time") * 1e-3, seconds, 1e-6 * seconds) << outcome.name;
  EXPECT_GE(seconds, 0.9e-3) << outcome.name << ": a burst is chosen to take two milliseconds, or a hundred pieces";
}

TEST_F(DeviceBench, AModelledGpuGivesWhatItsProfileSays) {
  const auto got = outcomes("--device virtual:h100-sxm");
  const std::string path = std::string(build_paths::sources) + "/configs/devices/h100-sxm.json";
  const DeviceProfile profile = decode_device_profile(test::read(path), path);
  for (const int mebibytes : {1, 16, 256}) {
    ASSERT_TRUE(got.contains("copy/pageable/" + std::to_string(mebibytes) + "MiB/manual_time"));
    const BenchmarkOutcome& pinned = got.at("copy/pinned/" + std::to_string(mebibytes) + "MiB/manual_time");
    const double bytes = mebibytes * 1048576.0;
    const double at_most = bytes / (bytes / (profile.pinned_h2d_gb_s->value * 1e9) + profile.copy_latency_us.value * 1e-6) * 1e-9;
    EXPECT_GT(pinned.numbers.at("GB/s"), 0);
    EXPECT_LE(pinned.numbers.at("GB/s"), at_most * 1.0001) << mebibytes << " MiB";
    expect_time_of_all_the_work(pinned, pinned.numbers.at("bytes_per_iteration") / (pinned.numbers.at("GB/s") * 1e9));
  }
  for (const auto& [precision, peak] : profile.peak_tflops) {
    const auto& numbers = got.at("channel_gemm/" + precision + "/manual_time").numbers;
    EXPECT_DOUBLE_EQ(numbers.at("peak_TFLOP/s"), peak.value);
    EXPECT_NEAR(numbers.at("share_of_peak"), numbers.at("TFLOP/s") / peak.value, 1e-9);
    EXPECT_LE(numbers.at("share_of_peak"), 0.5) << "the profile's largest share";
    expect_time_of_all_the_work(got.at("channel_gemm/" + precision + "/manual_time"), numbers.at("FLOP_per_iteration") / (numbers.at("TFLOP/s") * 1e12));
  }
}

TEST_F(DeviceBench, AStepsMemoryIsThePlannersAndTheDevices) {
  const auto got = outcomes("--device=virtual:t4 --benchmark_filter=step_memory");
  for (const int batch : {128, 256}) {
    const auto& numbers = got.at("step_memory/mixer-s16/fp16/" + std::to_string(batch) + "/iterations:1/real_time").numbers;
    const auto planned = static_cast<double>(planned_device_bytes(model_preset("mixer-s16"), 224, batch, Precision::fp16, InputType::uint8, 2));
    EXPECT_EQ(numbers.at("bytes"), planned);
    EXPECT_EQ(numbers.at("driver_bytes"), planned) << "a modelled device takes nothing beside it";
  }
}

TEST_F(DeviceBench, WhatADriverTakesBesideOurSumIsSeen) {
  if (!fs::exists(build_paths::fake_cuda)) GTEST_SKIP() << "no fake CUDA in this build";
  ::setenv("LD_LIBRARY_PATH", build_paths::fake_cuda, 1);
  ::setenv("FAKE_CUDA", "memory=20e9,pool_block=32e6", 1);  // as a real pool, which takes memory in blocks
  const auto got = outcomes("--device cuda --benchmark_filter=step_memory/.*/128");
  ::unsetenv("FAKE_CUDA");
  ::unsetenv("LD_LIBRARY_PATH");
  ASSERT_EQ(got.size(), 1u);
  const auto& numbers = got.begin()->second.numbers;
  EXPECT_GT(numbers.at("driver_bytes"), numbers.at("bytes"));
  EXPECT_EQ(std::fmod(numbers.at("driver_bytes"), 32e6), 0);
}

TEST_F(DeviceBench, ACopyThatTheDeviceRefusesIsTheErrorOfThatBenchmarkAlone) {
  if (!fs::exists(build_paths::fake_cuda)) GTEST_SKIP() << "no fake CUDA in this build";
  ::setenv("LD_LIBRARY_PATH", build_paths::fake_cuda, 1);
  ::setenv("FAKE_CUDA", "pinned=10e6", 1);
  const auto got = outcomes("--device cuda --benchmark_filter='copy/.*/(1|16)MiB'");
  ::unsetenv("FAKE_CUDA");
  ::unsetenv("LD_LIBRARY_PATH");
  ASSERT_EQ(got.size(), 4u);
  for (const auto& [name, outcome] : got)
    EXPECT_EQ(outcome.error.find("16777216 bytes of pinned host memory") != std::string::npos, name.starts_with("copy/pinned/16MiB"))
        << name << outcome.error;
  EXPECT_EQ(got.at("copy/pinned/1MiB/manual_time").error, "");
}

TEST_F(DeviceBench, ADeviceThatCannotBeUsedEndsItWithTheReason) {
  const Outcome unknown = run(bench.string() + " --device virtual:t5");
  EXPECT_EQ(unknown.code, 6);
  EXPECT_THAT(unknown.out, HasSubstr("did you mean"));
  EXPECT_EQ(run(bench.string() + " --device").code, 2);
  EXPECT_EQ(run(bench.string() + " --device=").code, 2);
  EXPECT_EQ(run(bench.string() + " --device null").code, 2);
}

TEST_F(DeviceBench, AMistakeAWrongFileAndAFolderThatCannotBeWrittenHaveTheirOwnExitCodes) {
  EXPECT_EQ(run(bench.string() + " --no_such_flag").code, 2);
  const auto profile = fs::path(testing::TempDir()) / ("no-profile-" + std::to_string(::getpid()) + ".json");
  std::ofstream(profile) << "{}";
  const Outcome wrong = run(bench.string() + " --device virtual:" + profile.string());
  fs::remove(profile);
  EXPECT_EQ(wrong.code, 3) << wrong.out;
  EXPECT_THAT(wrong.out, HasSubstr(profile.filename().string()));
  const Outcome nowhere = run("TMPDIR=/proc/no-such-folder " + bench.string() + " --benchmark_filter=memory/latency");
  EXPECT_EQ(nowhere.code, 5) << nowhere.out;
}

TEST_F(DeviceBench, AnAccessBeyondTheCachesTakesLongerThanOneThatTheBandwidthWouldPayFor) {
  const auto got = outcomes("--benchmark_filter='memory/(latency|copy/real_time/threads:1$)'");
  ASSERT_EQ(got.size(), 2u);
  const double latency_ns = 1e9 * got.at("memory/latency/real_time").numbers.at("time_per_load");
  const double line_ns = 64e9 / got.at("memory/copy/real_time/threads:1").numbers.at("bytes_per_second");
  EXPECT_GT(latency_ns, line_ns) << "loads that wait for each other, against lines that are fetched ahead";
}

}  // namespace
}  // namespace feedtune
