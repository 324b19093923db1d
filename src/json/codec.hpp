#pragma once
// From a struct's list of fields to JSON and back. Each struct has one function template
//   template <class Io> void fields(Io& io, Like<MemoryUse> auto& value)
// that names its fields once; ObjectWriter and ObjectReader walk it, so that what is written and what is read can't
// drift apart. Internal to src/json.

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/configuration.hpp"
#include "core/enums.hpp"
#include "json/value.hpp"

namespace feedtune {

template <class T, class U>
concept Like = std::is_same_v<std::remove_const_t<T>, U>;

/// Where in which document a value stands. Lives on the stack beside the value it names; the parents outlive it.
class Place {
 public:
  /// The root of the document `where`. Strict: faults are SpecErrors and unknown keys are faults.
  Place(std::string_view where, bool strict) : where_(where), strict_(strict) {}
  Place(const Place& parent, std::string_view name) : parent_(&parent), name_(name), where_(parent.where_), strict_(parent.strict_) {}
  Place(const Place& parent, std::size_t index) : parent_(&parent), index_(index), where_(parent.where_), strict_(parent.strict_) {}
  Place(const Place&& parent, std::string_view name) = delete;  // it would be gone when the path is asked for
  Place(const Place&& parent, std::size_t index) = delete;

  bool strict() const { return strict_; }
  /// "axes.batch_size[2]"; empty at the root.
  std::string path() const;
  /// "quick.json:7: axes.batch_size[2]": how errors name it.
  std::string text(const JsonValue& at) const;
  /// Throws "WHERE:LINE: PATH: what is wrong", a SpecError in a strict document and an InputError in others.
  [[noreturn]] void fail(const JsonValue& at, const std::string& what) const;
  /// Throws "... got SHOWN, want ...".
  [[noreturn]] void want(const JsonValue& at, std::string_view what) const;

 private:
  const Place* parent_ = nullptr;
  std::string_view name_;
  std::size_t index_ = 0;
  std::string_view where_;
  bool strict_ = false;
};

/// Checks "schema" and the major version of "schema_version" (those written are 0.x).
void check_schema(const JsonValue& document, const Place& place, std::string_view schema);

void read_bool(const JsonValue& json, const Place& place, bool& out);
void read_double(const JsonValue& json, const Place& place, double& out);
void read_string(const JsonValue& json, const Place& place, std::string& out);
/// An integer between the bounds, which fit one of the two types.
std::int64_t read_signed(const JsonValue& json, const Place& place, std::int64_t low, std::int64_t high);
std::uint64_t read_unsigned(const JsonValue& json, const Place& place, std::uint64_t high);
void read_axis_value(const JsonValue& json, const Place& place, AxisValue& out);
const JsonValue::Array& read_array(const JsonValue& json, const Place& place, std::string_view want);
const JsonValue::Object& read_object(const JsonValue& json, const Place& place);
/// The member that has to be there.
const JsonValue& read_member(const JsonValue& json, const Place& place, std::string_view name);
/// Fails for members that are not among `known`.
void refuse_unknown(const JsonValue& json, const Place& place, const std::vector<std::string>& known);

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_string_map = false;
template <class T>
inline constexpr bool is_string_map<std::map<std::string, T>> = true;
template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;

template <class T>
JsonValue write_value(const T& value);
template <class T>
void read_value(const JsonValue& json, const Place& place, T& out);

class ObjectWriter {
 public:
  template <class T>
  void field(const char* name, const T& value) {
    members_.push_back({name, write_value(value)});
  }
  /// A field that older files lack: read as what the struct starts with.
  template <class T>
  void later_field(const char* name, const T& value) {
    field(name, value);
  }
  /// Text whose absence is "" in the struct and null in the document.
  void text_or_null(const char* name, const std::string& value) {
    members_.push_back({name, value.empty() ? JsonValue{} : JsonValue{.data = value}});
  }
  /// Any bytes: beside text that is not UTF-8, its bytes in hexadecimal.
  void path(const char* name, const char* hex_name, const std::string& value);
  /// Two numbers as one list.
  void pair(const char* name, double low, double high) {
    members_.push_back({name, {.data = JsonValue::Array{{.data = low}, {.data = high}}}});
  }
  /// Fields of `value` inside an object of their own.
  template <class Body>
  void group(const char* name, const Body& body) {
    ObjectWriter inner;
    body(inner);
    members_.push_back({name, std::move(inner).take()});
  }
  JsonValue take() && { return {.data = std::move(members_)}; }

 private:
  JsonValue::Object members_;
};

class ObjectReader {
 public:
  ObjectReader(const JsonValue& json, const Place& place) : json_(json), place_(place) { read_object(json, place); }
  /// Both are kept as references: a temporary would be gone before the first field is read.
  ObjectReader(const JsonValue& json, const Place&& place) = delete;
  ObjectReader(const JsonValue&& json, const Place& place) = delete;
  ObjectReader(const JsonValue&& json, const Place&& place) = delete;

  template <class T>
  void field(const char* name, T& value) {
    known_.emplace_back(name);
    const JsonValue* member = is_optional<T> ? json_.find(name) : &read_member(json_, place_, name);
    if (member != nullptr) read_value(*member, Place(place_, name), value);
  }
  template <class T>
  void later_field(const char* name, T& value) {
    known_.emplace_back(name);
    if (const JsonValue* member = json_.find(name)) read_value(*member, Place(place_, name), value);
  }
  void text_or_null(const char* name, std::string& value) {
    std::optional<std::string> text;
    field(name, text);
    value = text.value_or("");
  }
  void path(const char* name, const char* hex_name, std::string& value);
  void pair(const char* name, double& low, double& high);
  template <class Body>
  void group(const char* name, const Body& body) {
    known_.emplace_back(name);
    const Place inner_place(place_, name);
    ObjectReader inner(read_member(json_, place_, name), inner_place);
    body(inner);
    inner.finish();
  }
  /// To be called when every field has been read.
  void finish() const {
    if (place_.strict()) refuse_unknown(json_, place_, known_);
  }

 private:
  const JsonValue& json_;
  const Place& place_;
  std::vector<std::string> known_;
};

template <class T>
JsonValue write_value(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double> || std::is_same_v<T, std::string>) {
    return {.data = value};
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_same_v<T, std::uint64_t>)
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return {.data = value};
    return {.data = static_cast<std::int64_t>(value)};
  } else if constexpr (std::is_enum_v<T>) {
    return {.data = std::string(to_text(value))};
  } else if constexpr (std::is_same_v<T, AxisValue>) {
    return std::visit([](const auto& v) { return JsonValue{.data = v}; }, value);
  } else if constexpr (std::is_same_v<T, Configuration>) {
    return write_value(value.values());
  } else if constexpr (is_optional<T>) {
    return value ? write_value(*value) : JsonValue{};
  } else if constexpr (is_vector<T>) {
    JsonValue::Array items;
    items.reserve(value.size());
    for (const auto& item : value) items.push_back(write_value(item));
    return {.data = std::move(items)};
  } else if constexpr (is_string_map<T>) {
    JsonValue::Object members;
    for (const auto& [name, item] : value) members.push_back({name, write_value(item)});
    return {.data = std::move(members)};
  } else if constexpr (is_pair<T>) {
    return {.data = JsonValue::Array{write_value(value.first), write_value(value.second)}};
  } else {
    ObjectWriter writer;
    fields(writer, value);
    return std::move(writer).take();
  }
}

template <class T>
void read_value(const JsonValue& json, const Place& place, T& out) {
  if constexpr (std::is_same_v<T, bool>) {
    read_bool(json, place, out);
  } else if constexpr (std::is_same_v<T, double>) {
    read_double(json, place, out);
  } else if constexpr (std::is_same_v<T, std::string>) {
    read_string(json, place, out);
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_unsigned_v<T>)
      out = static_cast<T>(read_unsigned(json, place, std::numeric_limits<T>::max()));
    else
      out = static_cast<T>(read_signed(json, place, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else if constexpr (std::is_enum_v<T>) {
    const auto* text = json.text();
    const auto value = text == nullptr ? std::nullopt : enum_from_text<T>(*text);
    if (!value) place.want(json, accepted_names<T>());
    out = *value;
  } else if constexpr (std::is_same_v<T, AxisValue>) {
    read_axis_value(json, place, out);
  } else if constexpr (std::is_same_v<T, Configuration>) {
    std::map<std::string, AxisValue> values;
    read_value(json, place, values);
    out = Configuration(std::move(values));
  } else if constexpr (is_optional<T>) {
    if (json.is_null()) {
      out.reset();
    } else {
      typename T::value_type inner{};
      read_value(json, place, inner);
      out = std::move(inner);
    }
  } else if constexpr (is_vector<T>) {
    const auto& items = read_array(json, place, "a list");
    out.clear();
    out.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) read_value(items[i], Place(place, i), out.emplace_back());
  } else if constexpr (is_string_map<T>) {
    out.clear();
    for (const auto& [name, item] : read_object(json, place)) read_value(item, Place(place, name), out[name]);
  } else if constexpr (is_pair<T>) {
    const auto& items = read_array(json, place, "a list of two");
    if (items.size() != 2) place.fail(json, "want a list of two");
    read_value(items[0], Place(place, 0), out.first);
    read_value(items[1], Place(place, 1), out.second);
  } else {
    ObjectReader reader(json, place);
    fields(reader, out);
    reader.finish();
  }
}

}  // namespace feedtune
