#include "json/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "core/utf8.hpp"

namespace feedtune {
namespace {

std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return hex;
}

std::optional<std::string> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
    if (error != std::errc() || end != hex.data() + i + 2) return std::nullopt;
    bytes += static_cast<char>(value);
  }
  return bytes;
}

/// Long or unprintable keys must not make an error longer than a line.
std::string quoted(const std::string& name) { return shown(JsonValue{.data = name}); }

}  // namespace

std::string Place::path() const {
  if (parent_ == nullptr) return {};
  std::string path = parent_->path();
  if (name_.data() == nullptr) return path + fmt::format("[{}]", index_);
  const bool plain = !name_.empty() && name_.size() <= 60 && std::all_of(name_.begin(), name_.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (!plain) return path + fmt::format("[{}]", quoted(std::string(name_)));
  return path.empty() ? std::string(name_) : path + "." + std::string(name_);
}

std::string Place::text(const JsonValue& at) const {
  std::string text(where_);
  if (at.line > 0) text += fmt::format("{}{}", text.empty() ? "line " : ":", at.line);
  const std::string inside = path();
  if (!inside.empty()) text += (text.empty() ? "" : ": ") + inside;
  return text;
}

void Place::fail(const JsonValue& at, const std::string& what) const {
  if (strict_) throw SpecError(text(at), what);
  throw InputError(text(at), what);
}

void Place::want(const JsonValue& at, std::string_view what) const {
  fail(at, fmt::format("got {}, want {}", shown(at), what));
}

void check_schema(const JsonValue& document, const Place& place, std::string_view schema) {
  read_object(document, place);
  const JsonValue* name = document.find("schema");
  if (name == nullptr || name->text() == nullptr) place.fail(document, fmt::format("has no \"schema\", want \"{}\"", schema));
  if (*name->text() != schema) Place(place, "schema").want(*name, fmt::format("\"{}\"", schema));

  const JsonValue& version = read_member(document, place, "schema_version");
  const Place at(place, "schema_version");
  std::string text;
  read_string(version, at, text);
  int major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  const bool dot = first.ec == std::errc() && first.ptr != end && *first.ptr == '.';
  const auto second = dot ? std::from_chars(first.ptr + 1, end, minor) : first;
  if (!dot || second.ec != std::errc() || second.ptr != end || text.find('-') != std::string::npos)
    at.want(version, "MAJOR.MINOR, as in \"0.1\"");
  if (major > 0) place.fail(version, fmt::format("written by a newer feedtune (schema {}; this one reads up to 0.x)", text));
}

void read_bool(const JsonValue& json, const Place& place, bool& out) {
  const auto* value = std::get_if<bool>(&json.data);
  if (value == nullptr) place.want(json, "true or false");
  out = *value;
}

void read_double(const JsonValue& json, const Place& place, double& out) {
  if (const auto* number = std::get_if<double>(&json.data))
    out = *number;
  else if (const auto* integer = std::get_if<std::int64_t>(&json.data))
    out = static_cast<double>(*integer);
  else if (const auto* large = std::get_if<std::uint64_t>(&json.data))
    out = static_cast<double>(*large);
  else
    place.want(json, "a number");
}

void read_string(const JsonValue& json, const Place& place, std::string& out) {
  if (json.text() == nullptr) place.want(json, "text");
  out = *json.text();
}

std::int64_t read_signed(const JsonValue& json, const Place& place, std::int64_t low, std::int64_t high) {
  const auto* value = std::get_if<std::int64_t>(&json.data);
  if (value == nullptr || *value < low || *value > high) place.want(json, fmt::format("an integer from {} to {}", low, high));
  return *value;
}

std::uint64_t read_unsigned(const JsonValue& json, const Place& place, std::uint64_t high) {
  const auto* value = std::get_if<std::int64_t>(&json.data);
  const auto* large = std::get_if<std::uint64_t>(&json.data);
  if (large != nullptr && *large <= high) return *large;
  if (value == nullptr || *value < 0 || static_cast<std::uint64_t>(*value) > high)
    place.want(json, fmt::format("an integer from 0 to {}", high));
  return static_cast<std::uint64_t>(*value);
}

void read_axis_value(const JsonValue& json, const Place& place, AxisValue& out) {
  if (const auto* integer = std::get_if<std::int64_t>(&json.data))
    out = *integer;
  else if (json.text() != nullptr && !json.text()->empty())
    out = *json.text();
  else
    place.want(json, "an integer or a name");
}

const JsonValue::Array& read_array(const JsonValue& json, const Place& place, std::string_view want) {
  if (json.array() == nullptr) place.want(json, want);
  return *json.array();
}

const JsonValue::Object& read_object(const JsonValue& json, const Place& place) {
  if (json.object() == nullptr) place.want(json, "an object");
  return *json.object();
}

const JsonValue& read_member(const JsonValue& json, const Place& place, std::string_view name) {
  const JsonValue* member = json.find(name);
  if (member == nullptr) place.fail(json, fmt::format("\"{}\" is missing", name));
  return *member;
}

void refuse_unknown(const JsonValue& json, const Place& place, const std::vector<std::string>& known) {
  for (const auto& [name, value] : *json.object()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    place.fail(value, fmt::format("unknown key {}{}; accepted: {}", quoted(name), did_you_mean(name, known), joined(known)));
  }
}

void ObjectWriter::path(const char* name, const char* hex_name, const std::string& value) {
  field(name, value);
  if (!is_utf8(value)) field(hex_name, to_hex(value));
}

void ObjectReader::path(const char* name, const char* hex_name, std::string& value) {
  field(name, value);
  std::optional<std::string> hex;
  field(hex_name, hex);
  if (!hex) return;
  const auto bytes = from_hex(*hex);
  if (!bytes) Place(place_, hex_name).want(*json_.find(hex_name), "bytes in hexadecimal");
  value = *bytes;
}

void ObjectReader::pair(const char* name, double& low, double& high) {
  std::pair<double, double> both;
  field(name, both);
  low = both.first;
  high = both.second;
}

}  // namespace feedtune
