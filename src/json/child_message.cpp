#include "json/child_message.hpp"

#include <cmath>

#include "json/setup_fields.hpp"
#include "json/trial_fields.hpp"

namespace feedtune {
namespace {

constexpr const char* where = "message";

template <class Io>
void fields(Io& io, Like<ChildProgress> auto& v) {
  io.field("phase", v.progress.phase);
  io.field("images_per_s", v.progress.images_per_s);
  io.field("elapsed_s", v.progress.elapsed_s);
  io.field("doing", v.doing);
}

JsonValue typed(const char* type) { return {.data = JsonValue::Object{{"type", {.data = std::string(type)}}}}; }

std::string typed(const char* type, const char* name, JsonValue body) {
  JsonValue message = typed(type);
  std::get<JsonValue::Object>(message.data).push_back({name, std::move(body)});
  return compact_text(message);
}

std::string type_of(const JsonValue& message, const Place& place) {
  std::string type;
  read_string(read_member(message, place, "type"), Place(place, "type"), type);
  return type;
}

double finite_or_0(double value) { return std::isfinite(value) ? value : 0; }

}  // namespace

std::string encode_message(const ParentMessage& message) {
  if (const auto* request = std::get_if<TrialRequest>(&message)) return typed("trial", "request", write_value(*request));
  return compact_text(typed("quit"));
}

std::string encode_message(const ChildMessage& message) {
  if (const auto* result = std::get_if<TrialResult>(&message))
    return typed("result", "trial", write_value(without_non_finite(*result)));
  ChildProgress progress = std::get<ChildProgress>(message);
  progress.progress.images_per_s = finite_or_0(progress.progress.images_per_s);
  progress.progress.elapsed_s = finite_or_0(progress.progress.elapsed_s);
  ObjectWriter writer;
  writer.field("type", std::string("progress"));
  fields(writer, progress);
  return compact_text(std::move(writer).take());
}

ParentMessage decode_parent_message(std::string_view text) {
  const JsonValue json = parse_json(text, where);
  const Place place(where, false);
  const std::string type = type_of(json, place);
  if (type == "quit") return QuitRequest{};
  if (type != "trial") Place(place, "type").want(*json.find("type"), "trial, quit");
  TrialRequest request;
  read_value(read_member(json, place, "request"), Place(place, "request"), request);
  return request;
}

ChildMessage decode_child_message(std::string_view text) {
  const JsonValue json = parse_json(text, where);
  const Place place(where, false);
  const std::string type = type_of(json, place);
  if (type == "progress") {
    ChildProgress progress;
    ObjectReader reader(json, place);
    fields(reader, progress);
    return progress;
  }
  if (type != "result") Place(place, "type").want(*json.find("type"), "progress, result");
  TrialResult result;
  read_value(read_member(json, place, "trial"), Place(place, "trial"), result);
  return result;
}

}  // namespace feedtune
