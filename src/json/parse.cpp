#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "json/value.hpp"

namespace feedtune {
namespace {

/// The line of the byte read last. The lexer reads one byte beyond a number, so a line break counts with the byte after it.
struct Line {
  int number = 1;
  bool ended = false;
};

/// Walks the text for the lexer and counts lines.
class LineCounter {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineCounter(const char* at, Line* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  LineCounter& operator++() {
    line_->number += line_->ended ? 1 : 0;
    line_->ended = *at_ == '\n';
    ++at_;
    return *this;
  }
  friend bool operator==(const LineCounter& a, const LineCounter& b) { return a.at_ == b.at_; }
  friend bool operator!=(const LineCounter& a, const LineCounter& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  Line* line_;
};

/// nlohmann's "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ...", without the
/// parts that are said otherwise, and short even where a token is a megabyte.
std::string reason(const std::string& message) {
  std::string text = message;
  if (const auto end = text.find("] "); end != std::string::npos) text.erase(0, end + 2);
  if (text.starts_with("parse error at"))
    if (const auto end = text.find(": "); end != std::string::npos) text.erase(0, end + 2);
  constexpr std::size_t head = 120, tail = 80;
  if (text.size() > head + tail + 5) text = text.substr(0, head) + " ... " + text.substr(text.size() - tail);
  std::string printable;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f)
      printable += fmt::format("<{:02X}>", byte);
    else
      printable += c;
  }
  return printable;
}

/// Builds the tree; every handler returns false to stop, with `failure` saying why.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit TreeBuilder(const Line* line) : line_(line) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<std::uint64_t>(INT64_MAX)) return add(static_cast<std::int64_t>(value));
    return add(std::uint64_t{value});
  }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return stop("binary data is no JSON"); }
  bool start_object(std::size_t) override { return open(JsonValue::Object{}); }
  bool start_array(std::size_t) override { return open(JsonValue::Array{}); }
  bool key(string_t& name) override {
    names_.push_back(std::move(name));
    return true;
  }
  bool end_object() override {
    std::vector<std::string_view> names;
    for (const auto& member : std::get<JsonValue::Object>(open_.back().data)) names.push_back(member.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) return stop(fmt::format("\"{}\" stands twice in one object", shown_name(*twice)));
    return close();
  }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    failure = reason(error.what());
    failure_at = position;
    return false;
  }

  JsonValue root;
  std::string failure;
  std::size_t failure_at = 0;  ///< bytes read when the lexer failed; 0: the line alone is known

 private:
  static std::string shown_name(std::string_view name) { return reason(std::string(name)); }

  bool stop(std::string why) {
    failure = std::move(why);
    return false;
  }
  bool add(JsonValue::Data data) { return add(JsonValue{std::move(data), line_->number}); }
  bool add(JsonValue value) {
    if (++values_ > json_max_values) return stop(fmt::format("holds more than {} values", json_max_values));
    if (open_.empty()) {
      root = std::move(value);
    } else if (auto* array = std::get_if<JsonValue::Array>(&open_.back().data)) {
      array->push_back(std::move(value));
    } else {
      std::get<JsonValue::Object>(open_.back().data).push_back({std::move(names_.back()), std::move(value)});
      names_.pop_back();
    }
    return true;
  }
  bool open(JsonValue::Data data) {
    if (open_.size() == json_max_depth) return stop(fmt::format("is nested deeper than {} levels", json_max_depth));
    open_.push_back({std::move(data), line_->number});
    return true;
  }
  bool close() {
    JsonValue value = std::move(open_.back());
    open_.pop_back();
    return add(std::move(value));
  }

  const Line* line_;
  std::vector<JsonValue> open_;     ///< containers whose end is still to come, outermost first
  std::vector<std::string> names_;  ///< of the members whose value is still to come
  std::size_t values_ = 0;
};

/// "where:line:column", columns in bytes from 1.
std::string place_of(std::string_view text, std::size_t offset, const std::string& where, int first_line) {
  const auto before = text.substr(0, std::min(offset, text.size()));
  const auto line = first_line + std::count(before.begin(), before.end(), '\n');
  const auto line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  return fmt::format("{}:{}:{}", where, line, before.size() - line_start + 1);
}

}  // namespace

JsonValue parse_json(std::string_view text, const std::string& where, int first_line) {
  if (text.size() > json_max_bytes)
    throw InputError(where, fmt::format("{} bytes of JSON, at most {} are read", text.size(), json_max_bytes));
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) throw InputError(where, "UTF-16 text, want JSON in UTF-8");
  // nlohmann's lexer takes a NUL for the end of the text and would not see what follows it.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    throw InputError(place_of(text, nul, where, first_line), fmt::format("a NUL byte (byte {}), want JSON text", nul));

  Line line{.number = first_line, .ended = false};
  TreeBuilder builder(&line);
  const bool whole = nlohmann::json::sax_parse(LineCounter(text.data(), &line),
                                               LineCounter(text.data() + text.size(), &line), &builder);
  if (whole) return std::move(builder.root);
  if (builder.failure_at == 0) throw InputError(fmt::format("{}:{}", where, line.number), builder.failure);
  // The position counts the byte that could not be taken (one past the end where the text ended too soon).
  const std::size_t offset = builder.failure_at - 1;
  std::string failure = builder.failure;
  if (failure.find("UTF-8") != std::string::npos) failure += fmt::format(" (byte {})", offset);
  throw InputError(place_of(text, offset, where, first_line), failure);
}

}  // namespace feedtune
