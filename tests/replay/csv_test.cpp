#include "replay/csv.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

using namespace feedtune;
using Fields = std::vector<std::string>;

namespace {

std::string fault_of(const std::string& text) {
  try {
    parse_csv(text, "grid.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

}  // namespace

TEST(Csv, FieldsMayHoldCommasQuotesAndLineBreaksAsRfc4180Says) {
  const auto records = parse_csv("a,\"b,c\",\"d \"\"e\"\"\"\n\"two\r\nlines\",,\"\"\nlast,line,here", "grid.csv");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].fields, (Fields{"a", "b,c", "d \"e\""}));
  EXPECT_EQ(records[1].fields, (Fields{"two\r\nlines", "", ""}));
  EXPECT_EQ(records[2].fields, (Fields{"last", "line", "here"}));
  EXPECT_EQ(records[1].line, 2);
  EXPECT_EQ(records[2].line, 4) << "a line break inside quotes is one too";
}

TEST(Csv, WindowsLineEndsByteOrderMarkAndEmptyLinesAreNoData) {
  const auto records = parse_csv("\xEF\xBB\xBF" "a,b\r\n\r\n1,2\r\n\n", "grid.csv");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].fields, (Fields{"a", "b"}));
  EXPECT_EQ(records[1].fields, (Fields{"1", "2"}));
  EXPECT_EQ(records[1].line, 3);
  EXPECT_TRUE(parse_csv("", "grid.csv").empty());
}

TEST(Csv, ALastFieldThatIsEmptyIsKept) {
  EXPECT_EQ(parse_csv("a,b,\n", "x").front().fields, (Fields{"a", "b", ""}));
  EXPECT_EQ(parse_csv("a,b,", "x").front().fields, (Fields{"a", "b", ""}));
}

TEST(Csv, WhatIsNoCsvIsRefusedAtItsLine) {
  EXPECT_EQ(fault_of("a\nb\"c\n"), "grid.csv:2: a double quote inside a field that does not begin with one");
  EXPECT_EQ(fault_of("a\n\n\"b\" c\n"), "grid.csv:3: text behind a closing double quote (one inside a field is written twice)");
  EXPECT_EQ(fault_of("a\n\"b\nc\nd"), "grid.csv:2: a double quote that is not closed");
  EXPECT_EQ(fault_of("a\rb\n"), "grid.csv:1: a control character (want lines that end with LF or CRLF)");
  EXPECT_EQ(fault_of(std::string("a\nb\0c", 5)), "grid.csv:2: a control character (want lines that end with LF or CRLF)");
  EXPECT_EQ(fault_of("a\n\xFF\n"), "grid.csv:2: is not UTF-8");
  EXPECT_EQ(fault_of("a\n" + std::string(longest_csv_record + 2, 'x')), "grid.csv:2: a record of more than 1000000 bytes");
  EXPECT_EQ(fault_of("a\n\"" + std::string(longest_csv_record + 2, '\n')), "grid.csv:2: a record of more than 1000000 bytes");
}
