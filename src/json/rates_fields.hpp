#pragma once
// Fields of what calibrate's child is asked and answers. Internal to src/json.

#include "core/device_rates.hpp"
#include "json/run_fields.hpp"

namespace feedtune {

template <class Io>
void fields(Io& io, Like<StepShape> auto& v) {
  io.field("model", v.model);
  io.field("precision", v.precision);
  io.field("image_size", v.image_size);
  io.field("batch_size", v.batch_size);
}

template <class Io>
void fields(Io& io, Like<SizeTimes> auto& v) {
  io.field("size", v.size);
  io.field("us", v.us);
}

template <class Io>
void fields(Io& io, Like<RatesRequest> auto& v) {
  io.field("device", v.device);
  io.field("seconds", v.seconds);
  io.field("steps", v.steps);
}

template <class Io>
void fields(Io& io, Like<DeviceRates> auto& v) {
  io.field("facts", v.facts);
  io.field("memory_bytes", v.memory_bytes);
  io.field("streaming_gb_s", v.streaming_gb_s);
  io.field("launch_us", v.launch_us);
  io.field("kernel_gap_us", v.kernel_gap_us);
  io.field("wait_cpu_share", v.wait_cpu_share);
  io.field("gemms", v.gemms);
  io.field("copies", v.copies);
  io.field("submit_ms", v.submit_ms);
  io.field("notes", v.notes);
}

}  // namespace feedtune
