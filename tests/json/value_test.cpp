#include "core/utf8.hpp"
#include "json/value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/error.hpp"

namespace feedtune {
namespace {

using ::testing::HasSubstr;

std::string error_of(std::string_view text) {
  try {
    parse_json(text, "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(JsonParse, TakesWhatRfc8259Takes) {
  const JsonValue json = parse_json("\xEF\xBB\xBF {\"a\": [1, -2, 2.5, 18446744073709551615, true, null, \"\\u00e9\\u0000\"], \"\": {}} ", "f");
  const auto& list = *json.find("a")->array();
  EXPECT_EQ(std::get<std::int64_t>(list[0].data), 1);
  EXPECT_EQ(std::get<std::int64_t>(list[1].data), -2);
  EXPECT_EQ(std::get<double>(list[2].data), 2.5);
  EXPECT_EQ(std::get<std::uint64_t>(list[3].data), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(std::get<bool>(list[4].data), true);
  EXPECT_TRUE(list[5].is_null());
  EXPECT_EQ(*list[6].text(), std::string("\xC3\xA9\0", 3));
  EXPECT_NE(json.find("")->object(), nullptr);
}

TEST(JsonParse, RefusesWhatIsNoJsonNamingLineAndColumn) {
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\":1,}", "{'a':1}", "{a:1}", "[1] 2", "NaN", "[Infinity]", "-Infinity", "[1e999]",
                           "[-1e999]", "01", "+1", ".5", "1.", "0x10", "\"\t\"", "\"\\x\"", "\"\\ud800\"", "// c\n1", "/* c */1", "tru"})
    EXPECT_THAT(error_of(text), HasSubstr("f.json:1")) << text;
  EXPECT_THAT(error_of("{\n  \"a\": 1,\n  \"b\": nan\n}"), HasSubstr("f.json:3:9"));
}

TEST(JsonParse, RefusesANameThatStandsTwice) {
  EXPECT_EQ(error_of("{\"b\": 1,\n\"a\": 2,\n\"b\": 3}"), "f.json:3: \"b\" stands twice in one object");
  EXPECT_EQ(error_of("[{\"a\": 1}, {\"a\": 2}]"), "accepted");
}

TEST(JsonParse, RefusesBytesThatAreNotUtf8NamingTheByte) {
  EXPECT_THAT(error_of("[\"ab\xFF\"]"), HasSubstr("byte 4"));
  for (const char* bytes : {"\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\x80"})
    EXPECT_THAT(error_of(std::string("[\"") + bytes + "\"]"), HasSubstr("UTF-8")) << bytes;
  EXPECT_THAT(error_of("\xFF\xFE{\0}\0"), HasSubstr("UTF-16"));
}

TEST(JsonParse, SeesWhatStandsBehindANulByte) {
  EXPECT_THAT(error_of(std::string_view("{}\0 rubbish", 11)), HasSubstr("NUL byte (byte 2)"));
}

TEST(JsonParse, NestingCannotOverflowTheStack) {
  const int depth = 100'000;
  EXPECT_THAT(error_of(std::string(depth, '[')), HasSubstr("deeper than 64"));
  std::string objects;
  for (int i = 0; i < depth; ++i) objects += "{\"a\":";
  EXPECT_THAT(error_of(objects), HasSubstr("deeper than 64"));
  EXPECT_EQ(error_of(std::string(64, '[') + std::string(64, ']')), "accepted");
}

TEST(JsonParse, ErrorsStayOneShortLineWhateverTheInput) {
  for (const std::string& text : {std::string(1'000'000, 'x'), "\"" + std::string(1'000'000, 'y'), std::string(1'000'000, '9') + "e999999",
                                  "{\"" + std::string(100'000, 'k') + "\":1,\"" + std::string(100'000, 'k') + "\":1}",
                                  std::string("[\x1b[31m\n\x07]")}) {
    const std::string message = error_of(text);
    EXPECT_LT(message.size(), 400u);
    for (const char c : message) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << message;
  }
}

TEST(SlowJsonParse, BoundsTheMemoryOfAHostileDocument) {
  std::string list = "[";
  for (std::size_t i = 0; i <= json_max_values; ++i) list += "1,";
  list += "1]";
  EXPECT_THAT(error_of(list), HasSubstr("more than 8000000 values"));
  EXPECT_THAT(error_of(std::string(json_max_bytes + 1, ' ')), HasSubstr("at most"));
}

TEST(JsonParse, KnowsTheLineOfEveryValue) {
  const JsonValue json = parse_json("{\n\"a\": 1\n,\n\"b\": [\n2,\n3\n]\n}\n", "f");
  EXPECT_EQ(json.line, 1);
  EXPECT_EQ(json.find("a")->line, 2);
  EXPECT_EQ(json.find("b")->line, 4);
  EXPECT_EQ((*json.find("b")->array())[1].line, 6);
}

JsonValue number(double value) { return {.data = value}; }

TEST(JsonWrite, DoublesReadBackAsTheSameDouble) {
  for (const double value : {0.0, 1.0, -1.5, 0.1, 1.0 / 3, 1e21, 1e22, 1e-7, 123456789012345680.0, 5e-324,
                             std::numeric_limits<double>::max(), std::numeric_limits<double>::min()}) {
    const JsonValue back = parse_json(compact_text(number(value)), "f");
    const double read = std::holds_alternative<double>(back.data) ? std::get<double>(back.data)
                                                                  : static_cast<double>(std::get<std::int64_t>(back.data));
    EXPECT_EQ(read, value);
  }
  EXPECT_EQ(compact_text(number(0.1)), "0.1");
}

TEST(JsonWrite, NeverWritesNanOrInfinity) {
  EXPECT_THROW(compact_text(number(std::nan(""))), std::logic_error);
  EXPECT_THROW(pretty_text(number(std::numeric_limits<double>::infinity())), std::logic_error);
}

TEST(JsonWrite, AnyBytesBecomeJsonThatEveryParserTakes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  all += "\xE2\x82\xAC\xF0\x9F\x98\x80\xE2\x80\xA8";
  const std::string text = compact_text({.data = all});
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const std::string back = *parse_json(text, "f").text();
  EXPECT_EQ(back.substr(0, 128), all.substr(0, 128)) << "ASCII must come through";
  EXPECT_THAT(back, ::testing::EndsWith("\xE2\x82\xAC\xF0\x9F\x98\x80\xE2\x80\xA8"));
  EXPECT_TRUE(is_utf8(back));
}

TEST(JsonWrite, PrettyTextIsTheSameDocument) {
  const std::string text =
      "{\"samples\":[" + std::string("12345,") + "1],\"long\":{\"" + std::string(90, 'k') + "\":{\"a\":1},\"" + std::string(80, 'l') + "\":[]},\"e\":{}}";
  const JsonValue json = parse_json(text, "f");
  const std::string pretty = pretty_text(json);
  EXPECT_GT(std::count(pretty.begin(), pretty.end(), '\n'), 3);
  EXPECT_EQ(compact_text(parse_json(pretty, "f")), text);
}

TEST(JsonWrite, TwoThousandSamplesTakeOneLine) {
  JsonValue::Array steps(2000, {.data = std::int64_t{78'123}});
  const std::string pretty = pretty_text({.data = JsonValue::Object{{"step_us", {.data = steps}}}});
  EXPECT_LT(pretty.size(), 2000u * 8);
}

}  // namespace
}  // namespace feedtune
