// scripts/gpu_check.sh rehearsed on the fake GPU, and what it makes of parts that fail, time out or are missing.
#include <gmock/gmock.h>

#include "build_paths.hpp"
#include "json/value.hpp"
#include "run_command.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::read;
using test::run;
using testing::HasSubstr;

const std::string script = std::string(build_paths::sources) + "/scripts/gpu_check.sh";

class GpuCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(build_paths::program).parent_path() / "feedtune-bench")) GTEST_SKIP() << "this build has no feedtune-bench";
    folder_ = fs::path(testing::TempDir()) / ("gpu-check-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "work");
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  std::string out() const { return (folder_ / "check.json").string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / "work" / name) << text; }

  Outcome rehearse(const std::string& variables) const {
    return run("env " + variables + " LD_LIBRARY_PATH=" + std::string(build_paths::fake_cuda) + " " + script + " --bundle " +
               fs::path(build_paths::program).parent_path().string() + " -o " + out());
  }
  /// What the script's last step makes of the parts that were written.
  Outcome compose() const { return run(std::string(build_paths::program) + " __gpu_check " + (folder_ / "work").string() + " " + out()); }

  JsonValue document() const { return parse_json(read(out()), out()); }
  void expect_follows_schema() const {
    const std::string top = build_paths::sources;
    const int code = run("/usr/bin/python3 -W ignore " + top + "/tests/json/schema_check.py --closed " + top +
                         "/results/schema/gpu-check-0.1.schema.json " + out()).code;
    if (code == 77 || code == 127) GTEST_SKIP() << "no python3 with jsonschema here; all but the schema was checked";
    EXPECT_EQ(code, 0) << read(out());
  }
  /// "ok", "failed: why"
  std::string status(const std::string& part) const {
    const JsonValue all = document();
    for (const auto& one : *all.find("parts")->array())
      if (*one.find("name")->text() == part)
        return *one.find("status")->text() + (one.find("reason")->is_null() ? "" : ": " + *one.find("reason")->text());
    return "not there";
  }

  fs::path folder_;
};

const std::string copies = R"({"context": {"host_name": "secret"}, "benchmarks": [
  {"name": "copy/pageable/16MiB/manual_time", "iterations": 5, "real_time": 1.0, "GB/s": 6.25},
  {"name": "copy/pinned/16MiB/manual_time", "iterations": 5, "real_time": 1.0, "GB/s": 24.5}]})";

TEST_F(GpuCheck, FiguresOfEachPartAreTakenWithNvidiasBesideOurs) {
  write("parts.txt", "copies 0 3120 50\nnvidia_copies 0 900 40\ngemm 0 1000 40\nmemory_law 0 100 20\nenvironment 0 10 15\n"
                     "memcheck skip 0 70 compute-sanitizer is not installed\n");
  write("copies.json", copies);
  write("nvidia_copies.txt", "pinned 16 25.1\npinned 256 26\n");
  write("gemm.json", R"({"benchmarks": [{"name": "channel_gemm/bf16/manual_time", "TFLOP/s": 300, "peak_TFLOP/s": 400, "share_of_peak": 0.75},
                                        {"name": "channel_gemm/fp32/manual_time", "TFLOP/s": 20}]})");
  write("memory_law.mixer_128.json", R"({"benchmarks": [{"name": "step_memory/m/fp16/128/x", "bytes": 1e9, "driver_bytes": 1.1e9}]})");
  write("memory_law.mixer_256.json", R"({"benchmarks": [{"name": "step_memory/m/fp16/256/x", "bytes": 1.9e9}]})");
  write("environment.csv", "name, driver_version, memory.total [MiB]\nNVIDIA L4, 580.1, 23034 MiB\n");
  const Outcome made = compose();
  EXPECT_EQ(made.code, 0) << made.out;
  expect_follows_schema();
  const JsonValue all = document();
  EXPECT_EQ(compact_text(*all.find("copies")),
            R"([{"host_memory":"pageable","bytes":16777216,"gb_per_s":6.25,"nvidia_gb_per_s":null},)"
            R"({"host_memory":"pinned","bytes":16777216,"gb_per_s":24.5,"nvidia_gb_per_s":25.1},)"
            R"({"host_memory":"pinned","bytes":268435456,"gb_per_s":null,"nvidia_gb_per_s":26}])");
  EXPECT_EQ(compact_text(*all.find("gemm")), R"([{"precision":"bf16","tflops":300,"peak_tflops":400,"share_of_peak":0.75},)"
                                             R"({"precision":"fp32","tflops":20,"peak_tflops":null,"share_of_peak":null}])");
  EXPECT_THAT(compact_text(*all.find("unknown")), HasSubstr("gemm.fp32.share_of_peak"));
  EXPECT_EQ(compact_text(*all.find("memory_law")), R"({"bytes_at_128":1e+09,"bytes_at_256":1.9e+09,"ratio":1.9,)"
                                                  R"("driver_bytes_at_128":1.1e+09,"driver_bytes_at_256":null})");
  EXPECT_EQ(compact_text(*all.find("nvidia_smi")), R"([{"driver_version":"580.1","memory.total [MiB]":"23034 MiB","name":"NVIDIA L4","tested":"unknown"}])");
  EXPECT_EQ(status("memcheck"), "skipped: compute-sanitizer is not installed");
  EXPECT_THAT(read(out()), testing::Not(HasSubstr("secret"))) << "a host's name is nobody's business";
}

TEST_F(GpuCheck, WhatFailsIsSaidAndTheRestIsKept) {
  write("parts.txt", "tests 1 100 90\ngradients 124 50000 50\ncopies 0 10 50\ngemm 0 10 40\nmemory_law 0 100 20\nsweep 6 10 75\n");
  write("tests.json", R"({"testsuites": [{"testsuite": [
    {"name": "A", "classname": "S", "result": "COMPLETED"}, {"name": "B", "classname": "S", "result": "SKIPPED"},
    {"name": "C", "classname": "S", "result": "COMPLETED", "failures": [{"failure": "no"}]}]}]})");
  write("copies.json", copies);
  write("gemm.json", R"({"benchmarks": [{"name": "channel_gemm/fp16/manual_time", "error_occurred": true, "error_message": "CUDA: no"},
                                        {"name": "channel_gemm/fp32/manual_time", "TFLOP/s": 20}]})");
  write("memory_law.json", R"({"benchmarks": [{"name": "step_memory/m/fp16/128/x", "bytes": 100}, {"name": "step_memory/m/fp16/256/x", "bytes": 250}]})");
  write("sweep.log", "making data\nfeedtune: device cuda is not available: gone\n\n");
  const Outcome made = compose();
  EXPECT_EQ(made.code, 7) << made.out;
  expect_follows_schema();
  EXPECT_EQ(status("tests"), "failed: exit code 1: S.C failed");
  EXPECT_EQ(status("gradients"), "timeout: not done after 50 s");
  EXPECT_EQ(status("copies"), "ok");
  EXPECT_EQ(status("gemm"), "failed: fp16: CUDA: no");
  EXPECT_EQ(status("memory_law"), "failed: memory grows 2.500-fold from batch 128 to 256, not 1.8 to 2");
  EXPECT_EQ(status("sweep"), "failed: exit code 6: feedtune: device cuda is not available: gone");
  const JsonValue all = document();
  EXPECT_EQ(compact_text(*all.find("tests")), R"({"passed":1,"failed":["S.C"],"skipped":["S.B"]})");
  EXPECT_EQ(all.find("copies")->array()->size(), 2u);
  EXPECT_TRUE(all.find("sweep")->is_null());
}

TEST_F(GpuCheck, TheGpuThatWasTestedIsToldFromTheOthersAndTheBeginFromTheEnd) {
  write("parts.txt", "environment 0 10 15\n");
  write("environment.csv", "name, pci.bus_id\nNVIDIA L4, 00000000:17:00.0\nNVIDIA L4, 00000000:65:00.0\n");
  write("started.txt", "2026-01-02T03:04:05Z\n");
  const std::string composed = std::string(build_paths::program) + " __gpu_check " + (folder_ / "work").string() + " " + out();
  ASSERT_EQ(run("LD_LIBRARY_PATH=" + std::string(build_paths::fake_cuda) + " " + composed).code, 0);  // the fake's address: 0000:65:00.0
  expect_follows_schema();
  EXPECT_EQ(compact_text(*document().find("nvidia_smi")), R"([{"name":"NVIDIA L4","pci.bus_id":"00000000:17:00.0","tested":"no"},)"
                                                         R"({"name":"NVIDIA L4","pci.bus_id":"00000000:65:00.0","tested":"yes"}])");
  EXPECT_EQ(*document().find("started")->text(), "2026-01-02T03:04:05Z");
  ASSERT_EQ(compose().code, 0);
  EXPECT_THAT(compact_text(*document().find("nvidia_smi")), HasSubstr("unknown")) << "no GPU can be asked for its address";
}

TEST_F(GpuCheck, TestsThatWereAllSkippedAreNoSuccess) {
  write("parts.txt", "tests 0 100 90\n");
  write("tests.json", R"({"testsuites": [{"testsuite": [{"name": "B", "classname": "S", "result": "SKIPPED"}]}]})");
  EXPECT_EQ(compose().code, 7);
  EXPECT_EQ(status("tests"), "failed: no test ran");
}

TEST_F(GpuCheck, APartThatWasKilledLeavesWhatItGotDone) {
  write("parts.txt", "copies 1 15000 50\ntests 137 80000 80\ngradients SIGTERM 3000 50\nsweep skip 0 70 stopped by SIGTERM before it\n");
  write("copies.copy_pinned_16MiB.json", R"({"benchmarks": [{"name": "copy/pinned/16MiB/manual_time", "GB/s": 24.5}]})");
  write("copies.copy_pinned_256MiB.json", R"({"benchmarks": [{"name": "copy/pinned/256)");
  write("tests.log", "[ RUN      ] A.Passes\n[       OK ] A.Passes (3 ms)\n[ RUN      ] B.Fails\n[  FAILED  ] B.Fails, where GetParam() = 1 (2 ms)\n"
                     "[ RUN      ] B.NeedsMore\n[  SKIPPED ] B.NeedsMore (0 ms)\n[ RUN      ] C.Hangs\n");
  EXPECT_EQ(compose().code, 7);
  expect_follows_schema();
  EXPECT_EQ(status("copies"), "failed: exit code 1: copy_pinned_256MiB did not get to its end");
  EXPECT_EQ(status("tests"), "timeout: not done after 80 s");
  EXPECT_EQ(status("gradients"), "failed: stopped by SIGTERM");
  EXPECT_EQ(status("sweep"), "skipped: stopped by SIGTERM before it");
  const JsonValue all = document();
  EXPECT_EQ(compact_text(*all.find("copies")), R"([{"host_memory":"pinned","bytes":16777216,"gb_per_s":24.5,"nvidia_gb_per_s":null}])");
  EXPECT_EQ(compact_text(*all.find("tests")), R"({"passed":1,"failed":["B.Fails"],"skipped":["B.NeedsMore"]})");
}

TEST_F(GpuCheck, TestsThatTheMemoryCheckerDidNotWatchAreNoSuccess) {
  write("parts.txt", "memcheck 0 100 60\n");
  write("memcheck.json", R"({"testsuites": [{"testsuite": [{"name": "A", "classname": "S", "result": "COMPLETED"}]}]})");
  write("memcheck.log", "[       OK ] S.A (3 ms)\n");
  EXPECT_EQ(compose().code, 7);
  EXPECT_EQ(status("memcheck"), "failed: compute-sanitizer did not end with 0 errors");
  write("memcheck.log", "[       OK ] S.A (3 ms)\n========= ERROR SUMMARY: 0 errors\n");
  EXPECT_EQ(compose().code, 0);
}

TEST_F(GpuCheck, MemoryThatTheDriverGaveAndWeDidNotCountIsAFault) {
  write("parts.txt", "memory_law 0 100 20\n");
  write("memory_law.json", R"({"benchmarks": [{"name": "step_memory/m/fp16/128/x", "bytes": 4e9, "driver_bytes": 4.1e9},
                                              {"name": "step_memory/m/fp16/256/x", "bytes": 7.6e9, "driver_bytes": 9e9}]})");
  EXPECT_EQ(compose().code, 7);
  EXPECT_THAT(status("memory_law"), HasSubstr("batch 256: the driver says that 9000000000 bytes are gone, we took 7600000000"));
}

TEST_F(GpuCheck, ASignalLeavesWhatWasDoneUntilThen) {
  // nvidia-smi, the first part, never ends.
  write("nvidia-smi", "#!/bin/sh\n: >" + (folder_ / "reached").string() + "\nexec sleep 100\n");
  fs::permissions(folder_ / "work" / "nvidia-smi", fs::perms::owner_all);
  const std::string started = "env PATH=" + (folder_ / "work").string() + ":$PATH LD_LIBRARY_PATH=" + std::string(build_paths::fake_cuda) + " " + script +
                              " --bundle " + fs::path(build_paths::program).parent_path().string() + " -o " + out();
  const Outcome stopped = run(started + " & until [ -e " + (folder_ / "reached").string() + " ]; do sleep 0.1; done; kill -TERM $!; wait $!");
  EXPECT_EQ(stopped.code, 143) << stopped.out;
  EXPECT_EQ(status("environment"), "failed: stopped by SIGTERM");
  EXPECT_EQ(status("copies"), "skipped: stopped by SIGTERM before it");
  EXPECT_TRUE(fs::exists(folder_ / "check.logs" / "environment.log")) << "what the parts printed";
}

TEST_F(GpuCheck, FiguresThatCannotBeWrittenArePrinted) {
  write("parts.txt", "copies 0 3120 50\n");
  write("copies.json", copies);
  const Outcome made = run(std::string(build_paths::program) + " __gpu_check " + (folder_ / "work").string() + " /nowhere/at/all.json");
  EXPECT_EQ(made.code, 5);
  EXPECT_THAT(made.out, HasSubstr("\"gb_per_s\": 24.5"));
}

TEST_F(GpuCheck, WithoutAGpuItEndsWithTheReason) {
  const Outcome none = rehearse("FAKE_CUDA=no_device");
  EXPECT_EQ(none.code, 6);
  EXPECT_THAT(none.out, HasSubstr("the NVIDIA driver shows no GPU"));
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(GpuCheck, WrongArgumentsAreRefused) {
  EXPECT_EQ(run(script + " --bogus").code, 2);
  EXPECT_EQ(run(script + " -o").code, 2);
  EXPECT_EQ(run(script + " -o /nowhere/at/all.json").code, 2);
  EXPECT_EQ(run(script + " --bundle /nowhere").code, 3);
  EXPECT_EQ(run(script + " -o /dev/null").code, 3) << "it would be replaced by a file";
  EXPECT_EQ(run(script + " -o " + folder_.string()).code, 3);
  write("mine.txt", "mine");
  EXPECT_EQ(run(script + " -o " + (folder_ / "work" / "mine.txt").string()).code, 3);
  EXPECT_EQ(read(folder_ / "work" / "mine.txt"), "mine");
  const Outcome help = run("ln -s " + script + " " + (folder_ / "by-link").string() + " && " + (folder_ / "by-link").string() + " --help");
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("--bundle DIR"));
}

using SlowGpuCheck = GpuCheck;

TEST_F(SlowGpuCheck, TheRehearsalFillsEveryPart) {
  // As NVIDIA's tools print.
  write("nvbandwidth", "#!/bin/sh\nprintf 'Running host_to_device_memcpy_ce.\\nmemcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\\n"
                       "           0\\n 0     55.64\\n\\nSUM host_to_device_memcpy_ce 55.64\\n'\n");
  write("nvidia-smi", "#!/bin/sh\necho 'name, driver_version'\necho 'fake, 580.1'\n");
  for (const char* tool : {"nvbandwidth", "nvidia-smi"}) fs::permissions(folder_ / "work" / tool, fs::perms::owner_all);
  const Outcome checked = rehearse("PATH=" + (folder_ / "work").string() + ":$PATH");
  EXPECT_EQ(checked.code, 0) << checked.out;
  expect_follows_schema();
  for (const char* part : {"environment", "tests", "gradients", "copies", "nvidia_copies", "gemm", "memory_law", "sweep"})
    EXPECT_EQ(status(part), "ok") << part;
  EXPECT_THAT(status("memcheck"), HasSubstr("skipped: "));
  const JsonValue all = document();
  EXPECT_EQ(all.find("gradients")->array()->size(), 4u);
  EXPECT_EQ(all.find("gemm")->array()->size(), 4u);
  ASSERT_EQ(all.find("copies")->array()->size(), 6u);
  for (const auto& copy : *all.find("copies")->array()) {
    EXPECT_FALSE(copy.find("gb_per_s")->is_null());
    EXPECT_EQ(compact_text(*copy.find("nvidia_gb_per_s")), *copy.find("host_memory")->text() == "pinned" ? "55.64" : "null");
  }
  EXPECT_FALSE(all.find("sweep")->find("gpu")->is_null()) << "the PCIe link under load";
}

TEST_F(SlowGpuCheck, AFailureInOnePartLeavesTheOthersTheirFigures) {
  const Outcome checked = rehearse("FAKE_CUDA=pinned=100e6");
  EXPECT_EQ(checked.code, 7) << checked.out;
  expect_follows_schema();
  EXPECT_THAT(status("copies"), HasSubstr("failed: pinned 256MiB: the driver refused 268435456 bytes of pinned host memory"));
  for (const char* part : {"tests", "gradients", "gemm", "memory_law", "sweep"}) EXPECT_EQ(status(part), "ok") << part;
  int measured = 0;
  const JsonValue all = document();
  for (const auto& copy : *all.find("copies")->array()) measured += copy.find("gb_per_s")->is_null() ? 0 : 1;
  EXPECT_EQ(measured, 5);
}

}  // namespace
}  // namespace feedtune
