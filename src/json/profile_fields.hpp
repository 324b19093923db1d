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
void fields(Io& io, Like<DeviceProfile> auto& v) {
  io.field("name", v.name);
  io.field("title", v.title);
  io.later_field("driver_names", v.driver_names);
  io.field("peak_tflops", v.peak_tflops);
  io.field("gemm_efficiency", v.gemm_efficiency);
  io.field("gemm_efficiency_provenance", v.gemm_efficiency_provenance);
  io.field("memory_gb", v.memory_gb);
  io.field("memory_bandwidth_gb_s", v.memory_bandwidth_gb_s);
  io.field("pinned_h2d_gb_s", v.pinned_h2d_gb_s);
  io.field("pageable_h2d_gb_s", v.pageable_h2d_gb_s);
  io.field("copy_latency_us", v.copy_latency_us);
  io.field("launch_us", v.launch_us);
  io.field("kernel_gap_us", v.kernel_gap_us);
  io.field("host_wait", v.host_wait);
}

}  // namespace feedtune
