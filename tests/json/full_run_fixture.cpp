#include "full_run.hpp"

namespace feedtune::testing {
namespace {

Configuration configuration(std::int64_t batch_size, std::int64_t num_workers) {
  return Configuration({{"batch_size", batch_size},
                        {"host_memory", "pinned"},
                        {"loader", "batch_per_worker"},
                        {"num_workers", num_workers}});
}

Candidate candidate(std::int64_t batch_size, const char* verdict) {
  return {.configuration = configuration(batch_size, 2),
          .images_per_s = {.mean = 812.5, .low = 801, .high = 824, .n = 6},
          .loss = Interval{.mean = 0.004, .low = -0.002, .high = 0.011, .n = 6},
          .verdict = verdict,
          .stage = "confirm",
          .planned_memory_bytes = 1'234'567'890};
}

TrialResult ok_trial() {
  TrialResult t;
  t.id = 1;
  t.configuration = configuration(64, 2);
  t.purpose = Purpose::trial;
  t.stage = "explore";
  t.block = 3;
  t.stop_reason = "interval";
  t.images_per_s = {.mean = 812.5, .low = 801.25, .high = 824, .n = 30};
  t.phases["step"] = {.mean = 78.7, .p50 = 78, .p95 = 82, .p99 = 90, .max = 95.5, .count = 4, .histogram = {{130, 3}, {133, 1}}};
  t.phases["data_wait"] = {.mean = 1.5, .p50 = 1, .p95 = 4, .p99 = 4, .max = 4, .count = 4, .histogram = {{79, 3}, {95, 1}}};
  t.worker_ms_per_image = {{"open", 0.02}, {"read", 0.05}, {"decode", 2.1}, {"decode_cpu", 2.05}, {"transform", 0.4}};
  t.gpu = GpuUse{.utilization = 0.7, .oscillation = std::nullopt, .sm_mhz = 1410, .memory_mhz = 9501, .temperature_c = 61,
                 .power_w = 250.5, .memory_used_bytes = 1'000'000'000, .pcie_generation = 3, .pcie_width = 8,
                 .pcie_generation_max = 4, .pcie_width_max = 16, .mig = false,
                 .throttled = {{"sw_power_cap", 0.25}}};
  t.device_busy = 0.93;
  t.oscillation = Oscillation{.period_s = 1.5, .duty = 0.25, .low = 0.01, .high = 0.97, .periods = 4.5, .waiting = 0.875, .copying = 0.0625,
                              .ready_low = 0.5, .ready_high = 3};
  t.gpu->oscillation = Oscillation{.period_s = 1.75, .duty = 0.5, .low = 0, .high = 0.9, .periods = 4, .waiting = {}, .copying = {},
                                   .ready_low = {}, .ready_high = {}};
  t.images = {.decoded = 12'800, .damaged = 2, .failed = 1};
  t.files = {{.path = "n01440764/x.JPEG", .reason = "failed: empty file", .ms = 0.5}};
  t.memory = {.resident_peak_bytes = 400'000'000,
              .batch_buffer_bytes = 19'267'584,
              .pinned_bytes = 19'267'584,
              .pinned_locked_bytes = 8'388'608,
              .device_peak_bytes = 3'000'000'000,
              .device_driver_bytes = 3'500'000'000,
              .device_limit_bytes = 11'050'000'000};
  t.host = {.window_s = 3.5,
            .cpu_user_s = 5.5,
            .cpu_system_s = 0.4,
            .cpu_s_per_image = 0.0025,
            .run_delay_s = 0.1,
            .runnable_threads = 2.5,
            .voluntary_switches = 1000,
            .involuntary_switches = 50,
            .major_faults = 3,
            .bytes_read = 1'400'000'000,
            .cache_resident_share = 1,
            .throttled_s = 0,
            .cpu_mhz = 3400.5};
  t.modelled = true;
  t.first_batch_ms = 130;
  t.startup_s = 0.2;
  t.epoch_turn_ms = 12;
  t.warmup_steps = 6;
  t.measured_steps = 4;
  t.measured_s = 0.315;
  t.cost_s = 1.25;
  t.incarnation = 7;
  t.order = 1;
  t.step_us = {78'000, 78'100, 79'000, 95'500};
  return t;
}

TrialResult failed_trial() {
  TrialResult t;
  t.id = 2;
  t.configuration = configuration(4096, 2);
  t.stage = "explore";
  t.status = TrialStatus::out_of_memory;
  t.memory_kind = MemoryKind::device;
  t.reason = "out of device memory: asked for 17179869184 bytes, limit 11050000000 bytes";
  t.stop_reason = "error";
  t.order = 2;
  t.unknown = {{"images_per_s", "no step was measured"}};
  return t;
}

}  // namespace

Run full_run() {
  Run run;
  run.tool = {.version = "0.1.0", .commit = "abc1234", .compiler = "GNU 12.2.0", .build_type = "Release", .libraries = {{"libjpeg-turbo", "2.1.5"}}};
  run.machine.cpus = {.effective = 1.5, .limited_by = "cgroup v2 /job", .online = 4, .affinity = 2, .quota = 1.5};
  run.machine.facts = {{"cpu_model", {.value = "AMD EPYC 7763", .source = "/proc/cpuinfo", .reason = ""}},
                       {"memory_bytes", {.value = std::int64_t{16'000'000'000}, .source = "/proc/meminfo", .reason = ""}},
                       {"channels", {.value = std::nullopt, .source = "", .reason = "DMI is not readable without root"}}};
  run.data = {.layout = "classes", .images = 1000, .bytes = 110'000'000, .digest = "9a3c", .skipped = 1, .notes = {"1 entry is no file"}};
  run.device = {.name = "virtual:rtx-2080ti",
                .title = "NVIDIA GeForce RTX 2080 Ti",
                .modelled = true,
                .copies = true,
                .fake = false,
                .memory_bytes = 11'050'000'000,
                .precisions = {"fp32", "fp16"},
                .pci_address = "0000:65:00.0",
                .uuid_hash = "0123456789abcdef"};
  run.model = {.name = "mixer-s16",
               .parameters = 18'500'000,
               .forward_flops_per_image = 7.5e9,
               .step_flops_per_image = 2.25e10,
               .activation_bytes_per_image = 40'000'000};
  run.spec.data = "photos";
  run.spec.device = "virtual:rtx-2080ti";
  run.spec.model = "mixer-s16";
  run.spec.step_times = {{.step_ms = 85, .batch_size = 64}};
  run.spec.axes = {{"num_workers", {std::int64_t{0}, std::int64_t{2}}}, {"host_memory", {"pinned"}}};
  run.spec.current = configuration(64, 0);
  run.spec.baseline = configuration(64, 1);
  run.spec.replay = ReplaySource{.file = "grid.csv", .digest = "51b3"};
  run.spec.budget = {.seconds = 300.0, .trials = 200};
  run.spec.origin = {{"seed", "default"}, {"data", "flag"}};
  run.started = "2026-12-01T23:07:00Z";
  run.complete = true;
  run.trials = {ok_trial(), failed_trial()};
  run.notes = {{.kind = "collapsed", .text = "prefetch: pooled goes by ready_batches"}};
  Recommendation r;
  r.recommended = candidate(64, "equivalent");
  r.best = candidate(128, "best");
  r.equivalent = {candidate(64, "equivalent"), candidate(128, "best")};
  r.undecided = {candidate(256, "undecided")};
  r.per_batch = {{.batch_size = 64, .best = candidate(64, "equivalent")}};
  r.pytorch = r.knee = r.largest_fit = r.current = candidate(64, "equivalent");
  r.baseline = candidate(64, "slower");
  r.gains = {{.over = "baseline", .ratio = {.mean = 1.8, .low = 1.75, .high = 1.85, .n = 6}, .method = "paired blocks", .detectable = {}},
             {.over = "current",
              .ratio = {.mean = 1.2, .low = 1.1, .high = 1.3, .n = 6},
              .method = "paired blocks",
              .detectable = 0.04}};
  r.ceilings = {.loader = 900, .loader_configuration = "batch_size=64,num_workers=2", .h2d = 20'000, .step = 1100, .joint_cpu = 950, .binds = "loader"};
  r.bound_by = "loader";
  r.headline = "current_batch";
  r.knee_gain = Interval{.mean = 1.1, .low = 1.05, .high = 1.15, .n = 6};
  r.decided = true;
  r.modelled = true;
  r.blocks = 6;
  r.configurations = 24;
  r.noise = 0.02;
  r.waiting_share = 0.1;
  r.exposed_copy_share = 0.01;
  r.warnings = {"the batch size changes training, not only speed"};
  run.recommendation = r;
  return run;
}

Run minimal_run() {
  Run run;
  run.spec.device = "cpu";
  return run;
}

}  // namespace feedtune::testing
