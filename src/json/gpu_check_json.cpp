#include "json/gpu_check_json.hpp"

#include "json/run_fields.hpp"
#include "json/trial_fields.hpp"

namespace feedtune {

template <class Io>
void fields(Io& io, Like<CheckPart> auto& v) {
  io.field("name", v.name);
  io.field("status", v.status);
  io.text_or_null("reason", v.reason);
  io.field("seconds", v.seconds);
  io.field("limit_s", v.limit_s);
}

template <class Io>
void fields(Io& io, Like<TestCounts> auto& v) {
  io.field("passed", v.passed);
  io.field("failed", v.failed);
  io.field("skipped", v.skipped);
}

template <class Io>
void fields(Io& io, Like<GradientError> auto& v) {
  io.field("precision", v.precision);
  io.field("relative_error", v.relative_error);
  io.field("tolerance", v.tolerance);
}

template <class Io>
void fields(Io& io, Like<CopyRate> auto& v) {
  io.field("host_memory", v.host_memory);
  io.field("bytes", v.bytes);
  io.field("gb_per_s", v.gb_per_s);
  io.field("nvidia_gb_per_s", v.nvidia_gb_per_s);
}

template <class Io>
void fields(Io& io, Like<GemmRate> auto& v) {
  io.field("precision", v.precision);
  io.field("tflops", v.tflops);
  io.field("peak_tflops", v.peak_tflops);
  io.field("share_of_peak", v.share_of_peak);
}

template <class Io>
void fields(Io& io, Like<MemoryLaw> auto& v) {
  io.field("bytes_at_128", v.bytes_at_128);
  io.field("bytes_at_256", v.bytes_at_256);
  io.field("ratio", v.ratio);
  io.field("driver_bytes_at_128", v.driver_bytes_at_128);
  io.field("driver_bytes_at_256", v.driver_bytes_at_256);
}

template <class Io>
void fields(Io& io, Like<ShortSweep> auto& v) {
  io.field("trials", v.trials);
  io.field("trials_ok", v.trials_ok);
  io.field("recommended", v.recommended);
  io.field("images_per_s", v.images_per_s);
  io.text_or_null("bound_by", v.bound_by);
  io.field("gpu", v.gpu);
}

template <class Io>
void fields(Io& io, Like<GpuCheck> auto& v) {
  io.text_or_null("started", v.started);
  io.field("tool", v.tool);
  io.field("machine", v.machine);
  io.field("device", v.device);
  io.field("parts", v.parts);
  io.field("nvidia_smi", v.nvidia_smi);
  io.field("tests", v.tests);
  io.field("memcheck", v.memcheck);
  io.field("gradients", v.gradients);
  io.field("copies", v.copies);
  io.field("gemm", v.gemm);
  io.field("memory_law", v.memory_law);
  io.field("sweep", v.sweep);
  io.field("unknown", v.unknown);
}

std::string encode(const GpuCheck& check) {
  ObjectWriter writer;
  writer.field("schema", std::string(gpu_check_schema));
  writer.field("schema_version", std::string("0.1"));
  fields(writer, check);
  return pretty_text(std::move(writer).take());
}

}  // namespace feedtune
