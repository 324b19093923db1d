#include "json/device_profile_json.hpp"

#include <fmt/format.h>

#include "json/profile_fields.hpp"

namespace feedtune {
namespace {

constexpr std::pair<Provenance::Kind, std::string_view> provenance_kinds[] = {
    {Provenance::Kind::measured, "measured"},
    {Provenance::Kind::datasheet, "datasheet"},
    {Provenance::Kind::estimate, "estimate"},
};
constexpr std::pair<HostWait, std::string_view> host_waits[] = {{HostWait::spin, "spin"}, {HostWait::block, "block"}};

/// The figure has been read from member `name`: it is there.
void check_figure(const JsonValue& parent, const Place& place, const std::string& name, const Figure& figure) {
  const JsonValue& json = *parent.find(name);
  const Place at(place, name);
  if (!(figure.value > 0)) Place(at, "value").want(*json.find("value"), "a number above 0");
  const auto& range = figure.provenance;
  if (!(range.low <= figure.value && figure.value <= range.high))
    at.fail(json, fmt::format("value {} lies outside its range, {} to {}", figure.value, range.low, range.high));
  if (range.source.empty()) at.fail(json, "has no source");
}

void check_efficiency(const JsonValue& parent, const Place& place, const std::vector<EfficiencyPoint>& points) {
  const JsonValue& json = *parent.find("gemm_efficiency");
  const Place at(place, "gemm_efficiency");
  if (points.empty()) at.fail(json, "has no points, want at least one");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const JsonValue& item = (*json.array())[i];
    const Place item_at(at, i);
    if (!(points[i].flops > 0)) Place(item_at, "flops").want(*item.find("flops"), "a number above 0");
    if (!(points[i].share > 0 && points[i].share <= 1)) Place(item_at, "share").want(*item.find("share"), "a share above 0, at most 1");
    if (i > 0 && points[i].flops <= points[i - 1].flops) item_at.fail(item, "flops must grow from point to point");
  }
}

}  // namespace

template <>
std::span<const std::pair<Provenance::Kind, std::string_view>> enum_names() {
  return provenance_kinds;
}
template <>
std::span<const std::pair<HostWait, std::string_view>> enum_names() {
  return host_waits;
}

DeviceProfile decode_device_profile(std::string_view text, const std::string& where) {
  const JsonValue json = parse_json(text, where);
  const Place document(where, false);
  check_schema(json, document, device_profile_schema);
  const Place place(where, true);
  ObjectReader reader(json, place);
  std::string schema, version;
  reader.field("schema", schema);
  reader.field("schema_version", version);
  DeviceProfile profile;
  fields(reader, profile);
  reader.finish();

  if (profile.name.empty()) Place(place, "name").want(*json.find("name"), "a name");
  const JsonValue& peaks = *json.find("peak_tflops");
  const Place peaks_at(place, "peak_tflops");
  if (profile.peak_tflops.empty()) peaks_at.fail(peaks, "has no precision, want at least one");
  for (const auto& [precision, figure] : profile.peak_tflops) {
    if (!enum_from_text<Precision>(precision))
      Place(peaks_at, precision).fail(*peaks.find(precision), "no precision; accepted: " + accepted_names<Precision>());
    check_figure(peaks, peaks_at, precision, figure);
  }
  check_efficiency(json, place, profile.gemm_efficiency);
  check_figure(json, place, "memory_gb", profile.memory_gb);
  check_figure(json, place, "memory_bandwidth_gb_s", profile.memory_bandwidth_gb_s);
  check_figure(json, place, "pinned_h2d_gb_s", profile.pinned_h2d_gb_s);
  check_figure(json, place, "pageable_h2d_gb_s", profile.pageable_h2d_gb_s);
  check_figure(json, place, "copy_latency_us", profile.copy_latency_us);
  check_figure(json, place, "launch_us", profile.launch_us);
  check_figure(json, place, "kernel_gap_us", profile.kernel_gap_us);
  return profile;
}

std::string encode(const DeviceProfile& profile) {
  ObjectWriter writer;
  writer.field("schema", std::string(device_profile_schema));
  writer.field("schema_version", std::string("0.1"));
  fields(writer, profile);
  return pretty_text(std::move(writer).take());
}

}  // namespace feedtune
