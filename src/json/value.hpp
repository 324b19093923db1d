#pragma once
// A JSON document as a tree of plain values, with the line each value came from. The parser behind it is
// nlohmann/json's; nothing else in feedtune sees that library.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace feedtune {

struct JsonMember;

struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;  ///< in the order of the document; names are unique
  /// Integers are int64 wherever they fit; uint64 holds only what is larger.
  using Data = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object>;

  Data data = nullptr;
  int line = 0;  ///< 1-based; 0 for a value that was not parsed

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }
  const Array* array() const { return std::get_if<Array>(&data); }
  const Object* object() const { return std::get_if<Object>(&data); }
  /// The member of that name; nullptr when there is none or this is no object.
  const JsonValue* find(std::string_view name) const;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

/// Limits of parse_json: what a hostile document can make this program hold.
inline constexpr std::size_t json_max_bytes = std::size_t{64} << 20;
inline constexpr std::size_t json_max_values = 8'000'000;
inline constexpr int json_max_depth = 64;

/// Strict RFC 8259 in UTF-8 (a byte order mark is skipped): refuses duplicate names, NaN, Infinity, numbers beyond a
/// double, NUL bytes, comments, anything after the value, and what exceeds the limits above.
/// Throws InputError at "where:line:column"; `first_line` is the line of `where` on which the text begins.
JsonValue parse_json(std::string_view text, const std::string& where, int first_line = 1);

/// One line, no newline in it. Doubles are written with the fewest digits that read back as the same double, whatever
/// the locale; bytes that are not UTF-8 become U+FFFD. Throws std::logic_error for a number that is not finite.
std::string compact_text(const JsonValue& value);
/// As compact_text, indented for reading; short objects, samples and histograms stay on one line. Ends with a newline.
std::string pretty_text(const JsonValue& value);

/// What an error message shows of a value: `"x"`, `0`, `null`, `an object`; long strings are cut.
std::string shown(const JsonValue& value);

}  // namespace feedtune
