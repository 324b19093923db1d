#include "json/device_probe_json.hpp"

#include "json/run_fields.hpp"

namespace feedtune {
namespace {

template <class Io>
void fields(Io& io, Like<DeviceProbe> auto& v) {
  io.field("unusable", v.unusable);
  io.field("nothing_visible", v.nothing_visible);
  io.field("facts", v.facts);
}

}  // namespace

std::string encode_device_probe(const DeviceProbe& probe) {
  ObjectWriter writer;
  fields(writer, probe);
  return compact_text(std::move(writer).take());
}

DeviceProbe decode_device_probe(std::string_view text) {
  const JsonValue json = parse_json(text, "device probe");
  DeviceProbe probe;
  const Place place("device probe", false);
  ObjectReader reader(json, place);
  fields(reader, probe);
  return probe;
}

}  // namespace feedtune
