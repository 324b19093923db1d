// A hostile name of a file never moves the cursor, changes a colour or forges a line of the output.

#include <gtest/gtest.h>

#include "core/single_line.hpp"
#include "core/utf8.hpp"

namespace feedtune {
namespace {

TEST(SingleLine, NothingThatATerminalObeysComesThrough) {
  EXPECT_EQ(single_line("a\x1b[2J\nfeedtune: all is well\r\x07\x7f"), "a [2J feedtune: all is well   ");
  EXPECT_EQ(single_line("\u009b31m and \u0085"), " 31m and  ") << "control characters of two bytes";
  EXPECT_EQ(single_line("a\u202egpj.exe\u2066\u2028"), "a gpj.exe  ") << "reversed text and other lines' ends";
}

TEST(SingleLine, WhatIsNotUtf8IsShownAsAReplacement) {
  EXPECT_EQ(single_line("a\xff\xc3(\xe2\x80"), "a\uFFFD\uFFFD(\uFFFD\uFFFD");
  EXPECT_TRUE(is_utf8(single_line("\xed\xa0\x80\xf8")));
}

TEST(SingleLine, NamesOfAnyLanguageStayAsTheyAre) {
  for (const char* name : {"caf\u00e9/\u5199\u771f 1.jpg", "\u2020\u20ac", "\U0001F600.png", ""}) EXPECT_EQ(single_line(name), name);
}

}  // namespace
}  // namespace feedtune
