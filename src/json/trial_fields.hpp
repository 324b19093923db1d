#pragma once
// Fields of a trial's result. Internal to src/json.

#include "core/trial.hpp"
#include "json/codec.hpp"

namespace feedtune {

template <class Io>
void fields(Io& io, Like<Interval> auto& v) {
  io.field("mean", v.mean);
  io.pair("ci95", v.low, v.high);
  io.field("n", v.n);
}

template <class Io>
void fields(Io& io, Like<PhaseSummary> auto& v) {
  io.field("mean", v.mean);
  io.field("p50", v.p50);
  io.field("p95", v.p95);
  io.field("p99", v.p99);
  io.field("max", v.max);
  io.field("count", v.count);
  io.field("histogram", v.histogram);
}

template <class Io>
void fields(Io& io, Like<ImageCounts> auto& v) {
  io.field("decoded", v.decoded);
  io.field("damaged", v.damaged);
  io.field("failed", v.failed);
}

template <class Io>
void fields(Io& io, Like<FileNote> auto& v) {
  io.field("path", v.path);
  io.field("reason", v.reason);
  io.field("ms", v.ms);
}

template <class Io>
void fields(Io& io, Like<MemoryUse> auto& v) {
  io.field("resident_peak_bytes", v.resident_peak_bytes);
  io.field("batch_buffer_bytes", v.batch_buffer_bytes);
  io.field("pinned_bytes", v.pinned_bytes);
  io.field("pinned_locked_bytes", v.pinned_locked_bytes);
  io.field("device_peak_bytes", v.device_peak_bytes);
  io.field("device_driver_bytes", v.device_driver_bytes);
  io.field("device_limit_bytes", v.device_limit_bytes);
}

/// cpu_s_per_image stands beside the throughput instead: it is what ties are compared by.
template <class Io>
void fields(Io& io, Like<HostUse> auto& v) {
  io.field("window_s", v.window_s);
  io.field("cpu_user_s", v.cpu_user_s);
  io.field("cpu_system_s", v.cpu_system_s);
  io.field("run_delay_s", v.run_delay_s);
  io.field("runnable_threads", v.runnable_threads);
  io.field("voluntary_switches", v.voluntary_switches);
  io.field("involuntary_switches", v.involuntary_switches);
  io.field("major_faults", v.major_faults);
  io.field("bytes_read", v.bytes_read);
  io.field("cache_resident_share", v.cache_resident_share);
  io.field("throttled_s", v.throttled_s);
  io.field("cpu_mhz", v.cpu_mhz);
}

template <class Io>
void fields(Io& io, Like<Oscillation> auto& v) {
  io.field("period_s", v.period_s);
  io.field("duty", v.duty);
  io.field("low", v.low);
  io.field("high", v.high);
  io.field("periods", v.periods);
  io.field("waiting", v.waiting);
  io.field("copying", v.copying);
  io.field("ready_low", v.ready_low);
  io.field("ready_high", v.ready_high);
}

template <class Io>
void fields(Io& io, Like<GpuUse> auto& v) {
  io.field("utilization", v.utilization);
  io.later_field("oscillation", v.oscillation);
  io.field("sm_mhz", v.sm_mhz);
  io.field("memory_mhz", v.memory_mhz);
  io.field("temperature_c", v.temperature_c);
  io.field("power_w", v.power_w);
  io.field("memory_used_bytes", v.memory_used_bytes);
  io.field("pcie_generation", v.pcie_generation);
  io.field("pcie_generation_max", v.pcie_generation_max);
  io.field("pcie_width", v.pcie_width);
  io.field("pcie_width_max", v.pcie_width_max);
  io.field("mig", v.mig);
  io.field("throttled", v.throttled);
}

template <class Io>
void fields(Io& io, Like<TrialResult> auto& v) {
  io.field("id", v.id);
  io.field("configuration", v.configuration);
  io.field("purpose", v.purpose);
  io.field("stage", v.stage);
  io.field("block", v.block);
  io.field("order", v.order);
  io.field("incarnation", v.incarnation);
  io.field("status", v.status);
  io.field("memory_kind", v.memory_kind);
  io.text_or_null("reason", v.reason);
  io.text_or_null("stop_reason", v.stop_reason);
  io.field("modelled", v.modelled);
  io.field("images_per_s", v.images_per_s);
  io.field("phases_ms", v.phases);
  io.field("worker_ms_per_image", v.worker_ms_per_image);
  io.field("cpu_s_per_image", v.host.cpu_s_per_image);
  io.field("device_busy", v.device_busy);
  io.later_field("oscillation", v.oscillation);
  io.field("memory", v.memory);
  io.field("host", v.host);
  io.later_field("gpu", v.gpu);
  io.field("images", v.images);
  io.field("files", v.files);
  io.field("first_batch_ms", v.first_batch_ms);
  io.field("startup_s", v.startup_s);
  io.field("epoch_turn_ms", v.epoch_turn_ms);
  io.field("warmup_steps", v.warmup_steps);
  io.field("measured_steps", v.measured_steps);
  io.field("measured_s", v.measured_s);
  io.field("cost_s", v.cost_s);
  io.group("samples", [&](auto& samples) { samples.field("step_us", v.step_us); });
  io.field("unknown", v.unknown);
}

/// `result` without the numbers that are not finite: a division by zero somewhere must not cost the trial.
TrialResult without_non_finite(const TrialResult& result);

}  // namespace feedtune
