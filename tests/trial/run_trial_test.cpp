// Whole trials, live, on few small images: statuses and accounts, never speeds.

#include "trial/run_trial.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "model/model.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/make_data.hpp"
#include "trial/training_loop.hpp"

using namespace feedtune;
namespace fs = std::filesystem;

namespace {

class RunTrial : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("feedtune-trial-test-" + std::to_string(::getpid()));
    MakeDataOptions options;
    options.folder = (folder_ / "images").string();
    options.images = 24;
    options.classes = 3;
    make_data(options);
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static DeviceProfile profile() {
    DeviceProfile p;
    p.name = "test";
    p.title = "test card";
    for (const char* precision : {"fp32", "fp16"}) p.peak_tflops[precision].value = 50;
    p.gemm_efficiency = {{1e6, 0.1}, {1e9, 0.5}};
    p.memory_gb.value = 4;
    p.memory_bandwidth_gb_s.value = 500;
    p.pinned_h2d_gb_s.emplace().value = 12;
    p.pageable_h2d_gb_s.value = 6;
    p.copy_latency_us.value = 10;
    p.launch_us.value = 1;
    p.kernel_gap_us.value = 1;
    p.host_wait = HostWait::block;
    return p;
  }

  static TrialRequest request(const fs::path& data = folder_ / "images") {
    TrialRequest r;
    r.id = 3;
    r.setup.data.path = data.string();
    r.setup.data.image_size = 64;
    r.setup.loader.kind = LoaderKind::pooled;
    r.setup.loader.batch_size = 4;
    r.setup.loader.num_workers = 2;
    r.setup.device = "virtual:test";
    r.setup.profile = profile();
    r.setup.step.model = "mixer-nano";
    r.target.min_time_s = 0.05;
    r.target.max_time_s = 0.2;
    r.time_limit_s = 120;
    return r;
  }

  static TrialResult run(const TrialRequest& r) {
    DataCache cache;
    return run_trial(r, std::make_shared<SteadyClock>(), cache, {});
  }

  static fs::path any_image() { return fs::directory_iterator(folder_ / "images" / "n00000000")->path(); }

  static fs::path folder_;
};

fs::path RunTrial::folder_;

/// A machine under load may keep a short trial from settling: then its account is as whole, only not ranked.
testing::AssertionResult measured(const TrialResult& result) {
  if (result.status == TrialStatus::ok || result.status == TrialStatus::no_steady_state) return testing::AssertionSuccess();
  return testing::AssertionFailure() << to_text(result.status) << ": " << result.reason;
}

/// Time that stands still but for waits, each of which ends later than asked, by `late` and by `more` each time again.
class LateClock final : public Clock {
 public:
  LateClock(Nanoseconds late, Nanoseconds more) : late_(late.count()), more_(more.count()) {}
  Nanoseconds now() const override { return Nanoseconds{now_.load()}; }
  void sleep_until(Nanoseconds deadline) override {
    if (deadline.count() > now_) now_ = deadline.count() + late_;
    late_ += more_;
  }
  void spin_until(Nanoseconds deadline) override { now_ = std::max<std::int64_t>(now_, deadline.count()); }

 private:
  std::atomic<std::int64_t> now_{1'000'000'000};
  std::int64_t late_;
  std::int64_t more_;
};

}  // namespace

TEST_F(RunTrial, AStepThatTheProfileHasMeasuredIsReplayedInItsPartsAndTakesTheModelsMemory) {
  TrialRequest r = request();
  r.purpose = Purpose::step_only;
  const TrialResult computed = run(r);
  StepCurve curve;
  curve.model = r.setup.step.model;
  curve.image_size = r.setup.data.image_size;
  curve.forward = {1, 0.5};
  curve.backward = {2, 1};
  curve.update = {0.25, 0};
  curve.points = {{.batch_size = 1}, {.batch_size = 8}};
  curve.host_ms.value = 0.1;
  r.setup.profile->steps = {curve};
  const TrialResult replayed = run(r);
  ASSERT_EQ(replayed.status, TrialStatus::ok) << replayed.reason;
  EXPECT_TRUE(replayed.modelled);
  // Batch 4, on the device's computed timeline: exact, however busy the host is.
  EXPECT_NEAR(replayed.phases.at("forward").mean, 3, 1e-4);
  EXPECT_NEAR(replayed.phases.at("backward").mean, 6, 1e-4);
  EXPECT_NEAR(replayed.phases.at("update").mean, 0.25, 1e-4);
  EXPECT_EQ(replayed.memory.device_peak_bytes, computed.memory.device_peak_bytes);
}

TEST_F(RunTrial, EveryLoaderAndKindOfMemoryGivesAWholeResult) {
  for (const LoaderKind kind : {LoaderKind::pooled, LoaderKind::batch_per_worker}) {
    for (const int workers : {0, 2}) {
      for (const HostMemory memory : {HostMemory::pageable, HostMemory::pinned}) {
        TrialRequest r = request();
        r.setup.loader.kind = kind;
        r.setup.loader.num_workers = workers;
        r.setup.loader.host_memory = memory;
        r.setup.step.transfer = memory == HostMemory::pinned ? Transfer::overlapped : Transfer::blocking;
        const TrialResult result = run(r);
        ASSERT_TRUE(measured(result));
        EXPECT_TRUE(result.modelled);
        ASSERT_TRUE(result.images_per_s);
        EXPECT_GT(result.images_per_s->mean, 0);
        for (const char* phase : {"data_wait", "h2d", "h2d_exposed", "forward", "backward", "update", "step", "device_idle"})
          EXPECT_TRUE(result.phases.contains(phase)) << phase;
        // Images per second and the mean step are two views of the same window.
        EXPECT_NEAR(result.images_per_s->mean * result.phases.at("step").mean / 1000, 4, 4 * 0.5);
        EXPECT_GT(result.worker_ms_per_image.at("decode"), 0);
        EXPECT_GT(result.images.decoded, 0);
        EXPECT_EQ(result.images.failed, 0);
        EXPECT_TRUE(result.host.cpu_s_per_image.has_value());
        EXPECT_TRUE(result.memory.resident_peak_bytes.has_value());
        if (memory == HostMemory::pinned) {
          EXPECT_GE(*result.memory.pinned_bytes, 4 * 3 * 64 * 64);
        }
        const bool copied_by_pin_thread = kind == LoaderKind::batch_per_worker && memory == HostMemory::pinned;
        EXPECT_EQ(result.phases.contains("pin"), copied_by_pin_thread);
      }
    }
  }
}

TEST_F(RunTrial, PeakDeviceMemoryIsThePlannersFigure) {
  for (const Transfer transfer : {Transfer::blocking, Transfer::overlapped}) {
    TrialRequest r = request();
    r.setup.loader.host_memory = HostMemory::pinned;
    r.setup.step.transfer = transfer;
    r.setup.step.precision = Precision::fp16;
    const TrialResult result = run(r);
    ASSERT_TRUE(measured(result));
    EXPECT_EQ(static_cast<std::uint64_t>(result.memory.device_peak_bytes.value()),
              planned_device_bytes(model_preset("mixer-nano"), 64, 4, Precision::fp16, InputType::uint8, input_buffers(transfer)));
  }
}

TEST_F(RunTrial, WhatDoesNotFitTheDeviceIsOutOfDeviceMemory) {
  TrialRequest r = request();
  r.setup.profile->memory_gb.value = 0.001;
  const TrialResult result = run(r);
  EXPECT_EQ(result.status, TrialStatus::out_of_memory);
  EXPECT_EQ(result.memory_kind, MemoryKind::device);
  EXPECT_FALSE(result.images_per_s) << "a trial that failed has no throughput, not even 0";
}

TEST_F(RunTrial, APrecisionThatTheDeviceLacksIsUnsupported) {
  TrialRequest r = request();
  r.setup.step.precision = Precision::bf16;
  const TrialResult result = run(r);
  EXPECT_EQ(result.status, TrialStatus::unsupported);
  EXPECT_NE(result.reason.find("bf16"), std::string::npos) << result.reason;
}

TEST_F(RunTrial, PartsAloneNeedNoOtherPart) {
  for (const Purpose purpose : {Purpose::loader_only, Purpose::copy_only, Purpose::step_only}) {
    TrialRequest r = request();
    r.purpose = purpose;
    r.setup.loader.host_memory = HostMemory::pinned;
    r.setup.step.transfer = Transfer::overlapped;
    const TrialResult result = run(r);
    ASSERT_TRUE(measured(result)) << to_text(purpose);
    EXPECT_GT(result.images_per_s.value().mean, 0) << to_text(purpose);
    EXPECT_EQ(result.phases.contains("forward"), purpose == Purpose::step_only) << to_text(purpose);
    EXPECT_EQ(result.modelled, purpose != Purpose::loader_only);
  }
}

TEST_F(RunTrial, TheStepAloneCopiesNothing) {
  TrialRequest r = request();
  r.purpose = Purpose::step_only;
  const TrialResult result = run(r);
  ASSERT_TRUE(measured(result));
  EXPECT_FALSE(result.phases.contains("h2d"));
}

TEST_F(RunTrial, AUsersStepTimeIsTheStepAndItsPartsAreNotInvented) {
  TrialRequest r = request();
  r.setup.step.times = {{40, 4}};
  const TrialResult result = run(r);
  ASSERT_TRUE(measured(result));
  EXPECT_FALSE(result.phases.contains("forward"));
  EXPECT_GE(result.phases.at("step").p50, 40 * 0.999);
}

TEST_F(RunTrial, StepTimesOnADeviceThatComputesAreRefused) {
  TrialRequest r = request();
  r.setup.device = "cpu";
  r.setup.profile.reset();
  r.setup.step.times = {{40, 4}};
  EXPECT_EQ(run(r).status, TrialStatus::unsupported);
}

TEST_F(RunTrial, AFewBadFilesAreCountedWithTheirNamesAndTheRunGoesOn) {
  const fs::path data = folder_ / "some-bad";
  fs::copy(folder_ / "images", data, fs::copy_options::recursive);
  std::ofstream(data / "n00000000" / "empty.jpg").close();
  std::ofstream(data / "n00000001" / "text.jpg") << "this is no image";
  TrialRequest r = request(data);
  r.setup.loader.batch_size = 26;  // every epoch is one batch, so each bad file comes once a batch
  r.target.max_time_s = 0.1;
  const TrialResult result = run(r);
  // 2 of 26 images are over 1 %, and ten batches fail more than 3 times, but 2 files are not more than 3.
  EXPECT_NE(result.status, TrialStatus::invalid) << result.reason;
  EXPECT_TRUE(result.images_per_s.has_value());
  EXPECT_GT(result.images.failed, 3);
  bool empty = false, text = false;
  for (const auto& note : result.files) {
    empty = empty || note.path.find("empty.jpg") != std::string::npos;
    text = text || note.path.find("text.jpg") != std::string::npos;
  }
  EXPECT_TRUE(empty);
  EXPECT_TRUE(text);

  std::ofstream(data / "n00000001" / "text3.jpg") << "nor is this";
  std::ofstream(data / "n00000001" / "text4.jpg") << "nor this";
  r.setup.loader.batch_size = 28;
  const TrialResult spoilt = run(r);
  EXPECT_EQ(spoilt.status, TrialStatus::invalid);
  EXPECT_NE(spoilt.reason.find("4 different files"), std::string::npos) << spoilt.reason;
  EXPECT_NE(spoilt.reason.find("1 %"), std::string::npos) << spoilt.reason;
  fs::remove_all(data);
}

TEST_F(RunTrial, HalfOfTheImagesLostIsNoResultHoweverFewTheFiles) {
  const fs::path data = folder_ / "half-bad";
  fs::create_directories(data / "a");
  fs::copy_file(any_image(), data / "a" / "good.jpg");
  std::ofstream(data / "a" / "bad.jpg") << "this is no image";
  TrialRequest r = request(data);
  const TrialResult result = run(r);
  EXPECT_EQ(result.status, TrialStatus::invalid);
  EXPECT_NE(result.reason.find("10 %"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("bad.jpg: failed"), std::string::npos) << result.reason;
  fs::remove_all(data);
}

TEST_F(RunTrial, DataThatChangedSinceTheSweepBeganIsNoResult) {
  const fs::path data = folder_ / "changing";
  fs::copy(folder_ / "images", data, fs::copy_options::recursive);
  TrialRequest r = request(data);
  r.setup.data.fingerprint = ImageList::from_path(data.string()).fingerprint();
  EXPECT_TRUE(run(r).images_per_s.has_value());
  fs::copy_file(any_image(), data / "n00000000" / "another.jpg");
  const TrialResult result = run(r);
  EXPECT_EQ(result.status, TrialStatus::invalid);
  EXPECT_FALSE(result.images_per_s.has_value());
  EXPECT_NE(result.reason.find("the data changed since the sweep began"), std::string::npos) << result.reason;
  EXPECT_EQ(result.stop_reason, "data_changed");

  r.setup.data.fingerprint = ImageList::from_path(data.string()).fingerprint();
  r.target.min_time_s = r.target.max_time_s = 1.5;  // several heartbeats
  DataCache cache;
  bool touched = false;
  const TrialResult during = run_trial(r, std::make_shared<SteadyClock>(), cache, [&](const ChildProgress& progress) {
    if (progress.progress.phase != "measuring" || std::exchange(touched, true)) return;
    for (const auto& entry : fs::directory_iterator(data / "n00000000"))
      fs::last_write_time(entry.path(), fs::file_time_type::clock::now() + std::chrono::seconds(5));
  });
  EXPECT_TRUE(touched);
  EXPECT_EQ(during.stop_reason, "data_changed") << "while it measured";
  fs::remove_all(data);
}

TEST_F(RunTrial, ImagesThatFailAreNotTakenOffThoseThatWereDecoded) {
  const fs::path data = folder_ / "eight-bad";
  fs::copy(folder_ / "images", data, fs::copy_options::recursive);
  for (int i = 0; i < 8; ++i) std::ofstream(data / "n00000000" / ("text" + std::to_string(i) + ".jpg")) << "this is no image";
  TrialRequest r = request(data);
  r.setup.loader.num_workers = 0;   // so that whole batches are counted, none half made
  r.setup.loader.batch_size = 32;  // an epoch: 24 good images and 8 bad ones in every batch
  const TrialResult result = run(r);
  EXPECT_EQ(result.status, TrialStatus::invalid);
  EXPECT_GT(result.images.failed, 0);
  EXPECT_EQ(result.images.decoded, 3 * result.images.failed);
  EXPECT_NE(result.reason.find(std::to_string(result.images.failed) + " of " + std::to_string(4 * result.images.failed) + " images"),
            std::string::npos)
      << result.reason;
  fs::remove_all(data);
}

TEST_F(RunTrial, WhereEveryImageFailsNoneIsDecodedAndTheCountIsNotNegative) {
  const fs::path data = folder_ / "all-bad";
  fs::create_directories(data / "a");
  for (int i = 0; i < 8; ++i) std::ofstream(data / "a" / ("text" + std::to_string(i) + ".jpg")) << "this is no image";
  TrialRequest r = request(data);
  const TrialResult result = run(r);
  EXPECT_EQ(result.status, TrialStatus::invalid);
  EXPECT_EQ(result.images.decoded, 0);
  EXPECT_GT(result.images.failed, 0);
  EXPECT_TRUE(result.worker_ms_per_image.empty());
  fs::remove_all(data);
}

TEST_F(RunTrial, AFolderThatVanishedIsAStatusNotACrash) {
  TrialRequest r = request();
  r.setup.data.path = (folder_ / "gone").string();
  const TrialResult result = run(r);
  EXPECT_EQ(result.status, TrialStatus::invalid);
  EXPECT_NE(result.reason.find("gone"), std::string::npos) << result.reason;
}

TEST_F(RunTrial, TheDeadlineOfASlowTrialEndsItAsTooShort) {
  TrialRequest r = request();
  r.setup.step.times = {{400, 4}};
  r.time_limit_s = 2;
  const TrialResult result = run(r);
  EXPECT_EQ(result.status, TrialStatus::too_short);
  EXPECT_EQ(result.stop_reason, "deadline");
}

TEST_F(RunTrial, AStepThatSlowsDownToTheEndIsNoSteadyStateAndSaysSo) {
  TrialRequest r = request();
  r.purpose = Purpose::step_only;
  r.setup.step.times = {{20, 4}};
  r.setup.step.sync = Sync::each;  // the next step begins when the host is back
  r.target = {.min_time_s = 1, .max_time_s = 3};
  DataCache cache;
  using std::chrono::microseconds;
  const TrialResult slowing = run_trial(r, std::make_shared<LateClock>(microseconds{0}, microseconds{100}), cache, {});
  EXPECT_EQ(slowing.status, TrialStatus::no_steady_state);
  EXPECT_EQ(slowing.stop_reason, "time");
  EXPECT_NE(slowing.reason.find("still rising"), std::string::npos) << slowing.reason;
  EXPECT_GT(slowing.measured_steps, 10);
  const TrialResult steady = run_trial(r, std::make_shared<LateClock>(microseconds{500}, microseconds{0}), cache, {});
  EXPECT_EQ(steady.status, TrialStatus::ok) << steady.reason;
  EXPECT_EQ(steady.stop_reason, "interval");
}

TEST_F(RunTrial, SyncEachWaitsForEveryStep) {
  TrialRequest none = request(), each = request();
  for (TrialRequest* r : {&none, &each}) {
    r->setup.step.times = {{20, 4}};
    r->setup.loader.num_workers = 0;  // the host works while the device does, unless it has to wait
    r->setup.loader.host_memory = HostMemory::pinned;
    r->setup.step.transfer = Transfer::overlapped;
  }
  each.setup.step.sync = Sync::each;
  const TrialResult a = run(none), b = run(each);
  ASSERT_TRUE(measured(a));
  ASSERT_TRUE(measured(b));
  // With each, loading four images (milliseconds) comes on top of the 20 ms step; with none it hides behind it.
  EXPECT_GT(b.phases.at("step").p50, 20 + 0.5 * b.phases.at("data_wait").p50);
}
