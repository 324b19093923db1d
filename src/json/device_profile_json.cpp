#include "json/device_profile_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/counted.hpp"
#include "core/error.hpp"
#include "json/profile_fields.hpp"

namespace feedtune {
namespace {

constexpr std::pair<Provenance::Kind, std::string_view> provenance_kinds[] = {
    {Provenance::Kind::measured, "measured"},
    {Provenance::Kind::datasheet, "datasheet"},
    {Provenance::Kind::estimate, "estimate"},
};
constexpr std::pair<HostWait, std::string_view> host_waits[] = {{HostWait::spin, "spin"}, {HostWait::block, "block"}};

/// Beyond these no figure of a device lies in its unit, and no sum of the modelled timeline overflows its nanoseconds.
constexpr double least_figure = 1e-6, most_figure = 1e9;
constexpr const char* figure_rule = "a number from 1e-6 to 1e9";

/// No memory and no product of any device is larger.
constexpr double most_bytes = 1e18, most_flops = 1e24;
constexpr int most_image_size = 4096;

bool can_be(double value) { return value >= least_figure && value <= most_figure; }

/// Every member that is checked has been read: it is there.
void check_number(const JsonValue& parent, const Place& place, const char* name, double value, double low, double high) {
  if (!(value >= low && value <= high)) Place(place, name).want(*parent.find(name), fmt::format("a number from {:g} to {:g}", low, high));
}

void check_text(const JsonValue& parent, const Place& place, const char* name, const std::string& value, const char* want) {
  if (value.empty()) Place(place, name).want(*parent.find(name), want);
}

void check_provenance(const JsonValue& parent, const Place& place, const char* name, const Provenance& provenance) {
  const JsonValue& json = *parent.find(name);
  const Place at(place, name);
  if (provenance.source.empty()) at.fail(json, "has no source");
  check_number(json, at, "low", provenance.low, 0, most_figure);
  check_number(json, at, "high", provenance.high, provenance.low, most_figure);
}

void check_hold_out(const JsonValue& parent, const Place& place, const std::optional<HoldOut>& hold_out) {
  if (!hold_out) return;
  const JsonValue& json = *parent.find("hold_out");
  const Place at(place, "hold_out");
  check_number(json, at, "at", hold_out->at, 1, most_figure);
  check_number(json, at, "measured", hold_out->measured, least_figure, most_figure);
  check_number(json, at, "low", hold_out->low, -most_figure, hold_out->measured);
  check_number(json, at, "high", hold_out->high, hold_out->measured, most_figure);
  check_number(json, at, "line_misfit", hold_out->line_misfit, -1, most_figure);
  check_number(json, at, "misfit", hold_out->misfit, -1, most_figure);
}

void check_figure(const JsonValue& parent, const Place& place, const std::string& name, const Figure& figure) {
  const JsonValue& json = *parent.find(name);
  const Place at(place, name);
  if (!can_be(figure.value)) Place(at, "value").want(*json.find("value"), figure_rule);
  const auto& range = figure.provenance;
  check_provenance(json, at, "provenance", range);
  if (!(range.low <= figure.value && figure.value <= range.high))
    at.fail(json, fmt::format("value {} lies outside its range, {} to {}", figure.value, range.low, range.high));
}

void check_efficiency(const JsonValue& parent, const Place& place, const char* name, const std::vector<EfficiencyPoint>& points) {
  const JsonValue& json = *parent.find(name);
  const Place at(place, name);
  if (points.empty()) at.fail(json, "has no points, want at least one");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const JsonValue& item = (*json.array())[i];
    const Place item_at(at, i);
    check_number(item, item_at, "flops", points[i].flops, 1, most_flops);
    if (!(points[i].share > 0 && points[i].share <= 1)) Place(item_at, "share").want(*item.find("share"), "a share above 0, at most 1");
    if (i > 0 && points[i].flops <= points[i - 1].flops) item_at.fail(item, "flops must grow from point to point");
  }
}

void check_line(const JsonValue& parent, const Place& place, const char* name, const Line& line, double most = most_figure) {
  if (line.fixed >= 0 && line.slope >= 0 && line.fixed <= most && line.slope <= most) return;
  Place(place, name).fail(*parent.find(name), fmt::format("fixed {} and slope {}, want both from 0 to {:g}", line.fixed, line.slope, most));
}

void check_step(const JsonValue& json, const Place& place, const StepCurve& curve) {
  check_text(json, place, "model", curve.model, "a model's name");
  check_number(json, place, "image_size", curve.image_size, 1, most_image_size);
  check_line(json, place, "forward", curve.forward);
  check_line(json, place, "backward", curve.backward);
  check_line(json, place, "update", curve.update);
  check_figure(json, place, "host_ms", curve.host_ms);
  check_line(json, place, "memory", curve.memory, most_bytes);
  check_number(json, place, "memory_misfit", curve.memory_misfit, -1, most_figure);
  check_hold_out(json, place, curve.hold_out);
  check_provenance(json, place, "provenance", curve.provenance);
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
    if (!(point.low_ms >= 0 && point.low_ms <= point.high_ms && point.high_ms <= most_figure)) item_at.fail(item, fmt::format("low_ms {} and high_ms {} are no interval of a time", point.low_ms, point.high_ms));
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
    if (!(points[i].bytes > previous && points[i].bytes <= most_bytes)) Place(at, i).fail(item, "bytes must be above 0, grow from point to point and stay below 1e18");
    if (!(points[i].us > 0 && points[i].us <= most_figure)) Place(at, i).fail(item, fmt::format("a copy takes {} us, want above 0 and at most 1e9", points[i].us));
    if (!(points[i].low_us > 0 && points[i].low_us <= points[i].us && points[i].us <= points[i].high_us && points[i].high_us <= most_figure))
      Place(at, i).fail(item, fmt::format("us {} does not lie between low_us {} and high_us {}", points[i].us, points[i].low_us, points[i].high_us));
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
    check_hold_out(item, item_at, copies[i].hold_out);
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

bool is_device_profile(std::string_view text) {
  try {
    const JsonValue json = parse_json(text, "");
    const JsonValue* schema = json.find("schema");
    return schema != nullptr && schema->text() != nullptr && *schema->text() == device_profile_schema;
  } catch (const InputError&) {
    return false;
  }
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
  check_text(json, place, "title", profile.title, "the product's name");
  for (std::size_t i = 0; i < profile.driver_names.size(); ++i)
    if (profile.driver_names[i].empty()) Place(place, "driver_names").fail(*json.find("driver_names"), fmt::format("[{}] is empty, want a name that the driver gives", i));
  if (profile.fake) check_text(json, place, "fake", *profile.fake, "the test device's title, or null");
  const JsonValue& peaks = *json.find("peak_tflops");
  const Place peaks_at(place, "peak_tflops");
  if (profile.peak_tflops.empty()) peaks_at.fail(peaks, "has no precision, want at least one");
  for (const auto& [precision, figure] : profile.peak_tflops) {
    if (!enum_from_text<Precision>(precision))
      Place(peaks_at, precision).fail(*peaks.find(precision), "no precision; accepted: " + accepted_names<Precision>());
    check_figure(peaks, peaks_at, precision, figure);
  }
  check_efficiency(json, place, "gemm_efficiency", profile.gemm_efficiency);
  for (const auto& [precision, curve] : profile.gemm_efficiency_by_precision) {
    const JsonValue& all = *json.find("gemm_efficiency_by_precision");
    const Place all_at(place, "gemm_efficiency_by_precision"), at(all_at, precision);
    const JsonValue& own = *all.find(precision);
    if (!profile.peak_tflops.contains(precision)) at.fail(own, "is no precision of peak_tflops");
    check_efficiency(own, at, "points", curve.points);
    check_provenance(own, at, "provenance", curve.provenance);
  }
  check_provenance(json, place, "gemm_efficiency_provenance", profile.gemm_efficiency_provenance);
  check_figure(json, place, "memory_gb", profile.memory_gb);
  check_figure(json, place, "memory_bandwidth_gb_s", profile.memory_bandwidth_gb_s);
  if (profile.pinned_h2d_gb_s) check_figure(json, place, "pinned_h2d_gb_s", *profile.pinned_h2d_gb_s);
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
