#include "json/doctor_json.hpp"

#include "json/run_fields.hpp"

namespace feedtune {

template <class Io>
void fields(Io& io, Like<DoctorSetting> auto& v) {
  io.field("batch_size", v.batch_size);
  io.field("num_workers", v.num_workers);
  io.field("prefetch", v.prefetch);
  io.field("image_size", v.image_size);
  io.field("bytes_per_value", v.bytes_per_value);
}

template <class Io>
void fields(Io& io, Like<CheckFinding> auto& v) {
  io.field("name", v.name);
  io.field("status", v.status);
  io.field("evidence", v.evidence);
  io.text_or_null("advice", v.advice);
}

std::string encode(const DoctorReport& report) {
  ObjectWriter writer;
  writer.field("schema", std::string("feedtune.doctor"));
  writer.field("schema_version", std::string("0.1"));
  writer.field("tool", report.tool);
  writer.field("setting", report.setting);
  writer.field("machine", report.machine);
  writer.group("cuda", [&](ObjectWriter& cuda) {
    cuda.field("usable", report.cuda.unusable.empty());
    cuda.text_or_null("reason", report.cuda.unusable);
    cuda.text_or_null("title", report.cuda.facts.title);
  });
  writer.field("checks", report.checks);
  return pretty_text(std::move(writer).take());
}

}  // namespace feedtune
