#pragma once
// Fields of a device profile. Internal to src/json.

#include "core/device_profile.hpp"
#include "json/codec.hpp"

namespace feedtune {

template <>
std::span<const std::pair<Provenance::Kind, std::string_view>> enum_names();
template <>
std::span<const std::pair<HostWait, std::string_view>> enum_names();

template <class Io>
void fields(Io& io, Like<Provenance> auto& v) {
  io.field("kind", v.kind);
  io.field("source", v.source);
  io.field("low", v.low);
  io.field("high", v.high);
}

template <class Io>
void fields(Io& io, Like<Figure> auto& v) {
  io.field("value", v.value);
  io.field("provenance", v.provenance);
}

template <class Io>
void fields(Io& io, Like<EfficiencyPoint> auto& v) {
  io.field("flops", v.flops);
  io.field("share", v.share);
}

template <class Io>
void fields(Io& io, Like<EfficiencyCurve> auto& v) {
  io.field("points", v.points);
  io.field("provenance", v.provenance);
}

template <class Io>
void fields(Io& io, Like<Line> auto& v) {
  io.field("fixed", v.fixed);
  io.field("slope", v.slope);
}

template <class Io>
void fields(Io& io, Like<HoldOut> auto& v) {
  io.field("at", v.at);
  io.field("measured", v.measured);
  io.field("low", v.low);
  io.field("high", v.high);
  io.field("line_misfit", v.line_misfit);
  io.field("misfit", v.misfit);
}

template <class Io>
void fields(Io& io, Like<StepPoint> auto& v) {
  io.field("batch_size", v.batch_size);
  io.field("forward_ms", v.forward_ms);
  io.field("backward_ms", v.backward_ms);
  io.field("update_ms", v.update_ms);
  io.field("low_ms", v.low_ms);
  io.field("high_ms", v.high_ms);
  io.field("device_bytes", v.device_bytes);
}

template <class Io>
void fields(Io& io, Like<StepCurve> auto& v) {
  io.field("model", v.model);
  io.field("precision", v.precision);
  io.field("image_size", v.image_size);
  io.field("points", v.points);
  io.field("forward", v.forward);
  io.field("backward", v.backward);
  io.field("update", v.update);
  io.field("interpolated", v.interpolated);
  io.field("hold_out", v.hold_out);
  io.field("host_ms", v.host_ms);
  io.field("memory", v.memory);
  io.field("memory_misfit", v.memory_misfit);
  io.field("provenance", v.provenance);
}

template <class Io>
void fields(Io& io, Like<CopyPoint> auto& v) {
  io.field("bytes", v.bytes);
  io.field("us", v.us);
  io.field("low_us", v.low_us);
  io.field("high_us", v.high_us);
}

template <class Io>
void fields(Io& io, Like<CopyCurve> auto& v) {
  io.field("host_memory", v.host_memory);
  io.field("points", v.points);
  io.field("latency_us", v.latency_us);
  io.field("gb_s", v.gb_s);
  io.field("hold_out", v.hold_out);
}

template <class Io>
void fields(Io& io, Like<DeviceProfile> auto& v) {
  io.field("name", v.name);
  io.field("title", v.title);
  io.later_field("driver_names", v.driver_names);
  io.field("peak_tflops", v.peak_tflops);
  io.field("gemm_efficiency", v.gemm_efficiency);
  io.field("gemm_efficiency_provenance", v.gemm_efficiency_provenance);
  io.later_field("gemm_efficiency_by_precision", v.gemm_efficiency_by_precision);
  io.field("memory_gb", v.memory_gb);
  io.field("memory_bandwidth_gb_s", v.memory_bandwidth_gb_s);
  io.field("pinned_h2d_gb_s", v.pinned_h2d_gb_s);
  io.field("pageable_h2d_gb_s", v.pageable_h2d_gb_s);
  io.field("copy_latency_us", v.copy_latency_us);
  io.field("launch_us", v.launch_us);
  io.field("kernel_gap_us", v.kernel_gap_us);
  io.field("host_wait", v.host_wait);
  io.later_field("steps", v.steps);
  io.later_field("copies", v.copies);
  io.field("fake", v.fake);
}

}  // namespace feedtune
