#include "json/outcomes.hpp"

#include "json/codec.hpp"

namespace feedtune {
namespace {

std::string text_of(const JsonValue& json, const Place& place, std::string_view name) {
  std::string text;
  read_string(read_member(json, place, name), Place(place, name), text);
  return text;
}

bool is(const JsonValue* value, std::string_view text) { return value != nullptr && value->text() != nullptr && *value->text() == text; }

TestOutcome read_test(const JsonValue& json, const Place& place) {
  TestOutcome test;
  test.name = text_of(json, place, "classname") + "." + text_of(json, place, "name");
  if (json.find("failures") != nullptr) test.result = TestOutcome::Result::failed;
  else if (is(json.find("result"), "SKIPPED")) test.result = TestOutcome::Result::skipped;
  for (const auto& [name, value] : *json.object())
    if (const auto* text = value.text()) test.properties[name] = *text;
  return test;
}

BenchmarkOutcome read_benchmark(const JsonValue& json, const Place& place) {
  BenchmarkOutcome outcome;
  outcome.name = text_of(json, place, "name");
  if (const JsonValue* error = json.find("error_message")) read_string(*error, Place(place, "error_message"), outcome.error);
  for (const auto& [name, value] : *json.object())
    if (std::holds_alternative<double>(value.data) || std::holds_alternative<std::int64_t>(value.data))
      read_double(value, Place(place, name), outcome.numbers[name]);
  return outcome;
}

/// The objects of the list `name` of an object.
template <class Read>
void each_of(const JsonValue& json, const Place& place, std::string_view name, const Read& read) {
  const Place list(place, name);
  const auto& items = read_array(read_member(json, place, name), list, "a list");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Place at(list, i);
    read_object(items[i], at);
    read(items[i], at);
  }
}

}  // namespace

std::vector<TestOutcome> read_test_outcomes(std::string_view text, const std::string& where) {
  const JsonValue json = parse_json(text, where);
  const Place place(where, false);
  std::vector<TestOutcome> tests;
  each_of(json, place, "testsuites", [&](const JsonValue& suite, const Place& at) {
    each_of(suite, at, "testsuite", [&](const JsonValue& test, const Place& test_at) { tests.push_back(read_test(test, test_at)); });
  });
  return tests;
}

std::vector<BenchmarkOutcome> read_benchmark_outcomes(std::string_view text, const std::string& where) {
  const JsonValue json = parse_json(text, where);
  const Place place(where, false);
  std::vector<BenchmarkOutcome> outcomes;
  each_of(json, place, "benchmarks", [&](const JsonValue& one, const Place& at) { outcomes.push_back(read_benchmark(one, at)); });
  return outcomes;
}

}  // namespace feedtune
