#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <stdexcept>

#include "core/utf8.hpp"
#include "json/value.hpp"

namespace feedtune {
namespace {

void append_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const char c = text[0];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      const std::size_t length = utf8_sequence(text);
      out += length == 0 ? std::string_view("\uFFFD") : text.substr(0, length);
      text.remove_prefix(length == 0 ? 1 : length);
      continue;
    }
    text.remove_prefix(1);
  }
  out += '"';
}

template <class Number>
void append_number(std::string& out, Number value) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

bool is_container(const JsonValue& value) { return value.array() != nullptr || value.object() != nullptr; }

/// Everything but a container that has something in it.
void append_scalar(std::string& out, const JsonValue& value) {
  if (value.is_null()) {
    out += "null";
  } else if (const auto* flag = std::get_if<bool>(&value.data)) {
    out += *flag ? "true" : "false";
  } else if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
    append_number(out, *integer);
  } else if (const auto* large = std::get_if<std::uint64_t>(&value.data)) {
    append_number(out, *large);
  } else if (const auto* number = std::get_if<double>(&value.data)) {
    if (!std::isfinite(*number)) throw std::logic_error("a number that is not finite was to be written as JSON");
    append_number(out, *number);
  } else {
    append_string(out, *value.text());
  }
}

void append_compact(std::string& out, const JsonValue& value, bool spaced) {
  const std::string_view comma = spaced ? ", " : ",";
  if (const auto* array = value.array()) {
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += comma;
      append_compact(out, (*array)[i], spaced);
    }
    out += ']';
  } else if (const auto* object = value.object()) {
    out += '{';
    for (std::size_t i = 0; i < object->size(); ++i) {
      if (i > 0) out += comma;
      append_string(out, (*object)[i].name);
      out += spaced ? ": " : ":";
      append_compact(out, (*object)[i].value, spaced);
    }
    out += '}';
  } else {
    append_scalar(out, value);
  }
}

/// A list of numbers, or of pairs of them: samples and histograms, thousands of values that nobody reads one by one.
bool is_series(const JsonValue& value) {
  const auto* array = value.array();
  if (array == nullptr) return false;
  for (const auto& item : *array) {
    if (item.object() != nullptr) return false;
    for (const auto& inner : item.array() != nullptr ? *item.array() : JsonValue::Array{})
      if (is_container(inner)) return false;
  }
  return true;
}

/// `value` starts behind `used` columns of its line.
void append_pretty(std::string& out, const JsonValue& value, int indent, std::size_t used) {
  constexpr std::size_t columns = 120;
  const auto* array = value.array();
  const auto* object = value.object();
  if (array == nullptr && object == nullptr) return append_scalar(out, value);

  std::string line;
  append_compact(line, value, true);
  if (used + line.size() <= columns) {
    out += line;
    return;
  }
  if (is_series(value)) return append_compact(out, value, false);
  const std::string inner(static_cast<std::size_t>(indent) + 2, ' ');
  const auto item = [&](bool first, std::string_view name, const JsonValue& child) {
    out += first ? "\n" : ",\n";
    const std::size_t start = out.size();
    out += inner;
    if (object != nullptr) {
      append_string(out, name);
      out += ": ";
    }
    append_pretty(out, child, indent + 2, out.size() - start);
  };
  out += array != nullptr ? '[' : '{';
  if (array != nullptr)
    for (std::size_t i = 0; i < array->size(); ++i) item(i == 0, {}, (*array)[i]);
  else
    for (std::size_t i = 0; i < object->size(); ++i) item(i == 0, (*object)[i].name, (*object)[i].value);
  out += '\n';
  out.append(static_cast<std::size_t>(indent), ' ');
  out += array != nullptr ? ']' : '}';
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  if (const auto* members = object())
    for (const auto& member : *members)
      if (member.name == name) return &member.value;
  return nullptr;
}

std::string compact_text(const JsonValue& value) {
  std::string out;
  append_compact(out, value, false);
  return out;
}

std::string pretty_text(const JsonValue& value) {
  std::string out;
  append_pretty(out, value, 0, 0);
  out += '\n';
  return out;
}

std::string shown(const JsonValue& value) {
  if (value.array() != nullptr) return "a list";
  if (value.object() != nullptr) return "an object";
  std::string out;
  const auto* text = value.text();
  constexpr std::size_t longest = 60;
  if (text != nullptr && text->size() > longest) {
    append_string(out, text->substr(0, longest));
    out.insert(out.size() - 1, "...");
  } else {
    append_scalar(out, value);
  }
  return out;
}

}  // namespace feedtune
