#include "json/device_profile_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/counted.hpp"
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
/// Beyond these no figure of a device lies in its unit, and no sum of the modelled timeline overflows its nanoseconds.
constexpr double least_figure = 1e-6, most_figure = 1e9;
constexpr const char* figure_rule = "a number from 1e-6 to 1e9";

bool can_be(double value) { return value >= least_figure && value <= most_figure; }

void check_figure(const JsonValue& parent, const Place& place, const std::string& name, const Figure& figure) {
  const JsonValue& json = *parent.find(name);
  const Place at(place, name);
  if (!can_be(figure.value)) Place(at, "value").want(*json.find("value"), figure_rule);
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

void check_line(const JsonValue& parent, const Place& place, const char* name, const Line& line) {
  if (line.fixed >= 0 && line.slope >= 0) return;
  Place(place, name).fail(*parent.find(name), fmt::format("fixed {} and slope {}, want neither below 0", line.fixed, line.slope));
}

void check_step(const JsonValue& json, const Place& place, const StepCurve& curve) {
  if (curve.model.empty()) Place(place, "model").want(*json.find("model"), "a model's name");
  if (curve.image_size < 1) Place(place, "image_size").want(*json.find("image_size"), "an integer >= 1");
  check_line(json, place, "forward", curve.forward);
  check_line(json, place, "backward", curve.backward);
  check_line(json, place, "update", curve.update);
  check_figure(json, place, "host_ms", curve.host_ms);
  if (curve.provenance.source.empty()) Place(place, "provenance").fail(*json.find("provenance"), "has no source");
  const JsonValue& list = *json.find("points");
  const Place at(place, "points");
  if (curve.points.size() < 2) at.fail(list, fmt::format("has {}, want 2 at least", counted(std::ssize(curve.points), "point")));
  int previous = 0;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const StepPoint& point = curve.points[i];
    const JsonValue& item = (*list.array())[i];
    const Place item_at(at, i);
    if (point.batch_size <= previous) item_at.fail(item, "batch sizes must be above 0 and grow from point to point");
    for (const double part : {point.forward_ms, point.backward_ms, point.update_ms})
      if (!(part >= 0 && part <= most_figure)) item_at.fail(item, fmt::format("a part of the step takes {} ms, want 0 to 1e9", part));
    if (!(point.step_ms() > 0)) item_at.fail(item, "a step takes no time");
    if (!(point.low_ms >= 0 && point.low_ms <= point.high_ms)) item_at.fail(item, fmt::format("low_ms {} and high_ms {} are no interval of a time", point.low_ms, point.high_ms));
    if (point.device_bytes < 0) Place(item_at, "device_bytes").want(*item.find("device_bytes"), "an integer >= 0");
    previous = point.batch_size;
  }
}

void check_steps(const JsonValue& parent, const Place& place, const std::vector<StepCurve>& steps) {
  const Place at(place, "steps");
  std::set<std::tuple<std::string, Precision, int>> seen;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const JsonValue& item = (*parent.find("steps")->array())[i];
    const Place item_at(at, i);
    check_step(item, item_at, steps[i]);
    if (!seen.insert({steps[i].model, steps[i].precision, steps[i].image_size}).second)
      item_at.fail(item, fmt::format("{} in {} at {} pixels stands twice", steps[i].model, to_text(steps[i].precision), steps[i].image_size));
  }
}

void check_copy_points(const JsonValue& parent, const Place& place, const std::vector<CopyPoint>& points) {
  const JsonValue& list = *parent.find("points");
  const Place at(place, "points");
  if (points.size() < 2) at.fail(list, fmt::format("has {}, want 2 at least", counted(std::ssize(points), "point")));
  double previous = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const JsonValue& item = (*list.array())[i];
    if (!(points[i].bytes > previous)) Place(at, i).fail(item, "bytes must be above 0 and grow from point to point");
    if (!(points[i].us > 0 && points[i].us <= most_figure)) Place(at, i).fail(item, fmt::format("a copy takes {} us, want above 0 and at most 1e9", points[i].us));
    previous = points[i].bytes;
  }
}

void check_copies(const JsonValue& parent, const Place& place, const std::vector<CopyCurve>& copies) {
  const Place at(place, "copies");
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const JsonValue& item = (*parent.find("copies")->array())[i];
    const Place item_at(at, i);
    if (!can_be(copies[i].gb_s)) Place(item_at, "gb_s").want(*item.find("gb_s"), figure_rule);
    if (!(copies[i].latency_us >= 0 && copies[i].latency_us <= most_figure)) Place(item_at, "latency_us").want(*item.find("latency_us"), "a number from 0 to 1e9");
    for (std::size_t earlier = 0; earlier < i; ++earlier)
      if (copies[earlier].host_memory == copies[i].host_memory) item_at.fail(item, fmt::format("copies from {} memory stand twice", to_text(copies[i].host_memory)));
    check_copy_points(item, item_at, copies[i].points);
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

bool is_profile_name(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= 100 && name[0] != '.' && std::all_of(name.begin(), name.end(), plain);
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

  if (!is_profile_name(profile.name))
    Place(place, "name").want(*json.find("name"), profile_name_rule);
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
  check_steps(json, place, profile.steps);
  check_copies(json, place, profile.copies);
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
