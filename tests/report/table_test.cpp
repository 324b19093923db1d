#include "report/table.hpp"

#include <gtest/gtest.h>

#include "report/format.hpp"

using namespace feedtune;

TEST(Table, NumbersLineUpAtTheRightAndTextAtTheLeft) {
  const Table t{{{"name"}, {"n", Align::right}}, {{"a", "1"}, {"longer", "1,000"}}};
  EXPECT_EQ(render_table(t),
            "name        n\n"
            "a           1\n"
            "longer  1,000\n");
  EXPECT_EQ(render_table(t, TableStyle::text, 2).substr(0, 6), "  name");
}

TEST(Table, MarkdownCellsCannotBreakTheTable) {
  const Table t{{{"a|b"}, {"n", Align::right}}, {{"x|y\nz", "1"}}};
  EXPECT_EQ(render_table(t, TableStyle::markdown),
            "| a\\|b | n |\n"
            "| --- | ---: |\n"
            "| x\\|y z | 1 |\n");
}

TEST(Table, UnevenRowsAreFilledAndCut) {
  const Table t{{{"a"}, {"b"}}, {{"1"}, {"1", "2", "3"}}};
  EXPECT_EQ(render_table(t), "a  b\n1\n1  2\n");
  EXPECT_EQ(render_table({}), "");
}

TEST(Table, WideCharactersCountAsWhatTheyLookLike) {
  const Table t{{{"µs", Align::right}}, {{"12"}, {"3"}}};
  EXPECT_EQ(render_table(t), "µs\n12\n 3\n");
}

TEST(Format, ThreeDigitsWithoutLocale) {
  EXPECT_EQ(rate_text(1234567.0), "1,234,567");
  EXPECT_EQ(rate_text(999.6), "1,000");
  EXPECT_EQ(rate_text(98.76), "98.8");
  EXPECT_EQ(rate_text(1.234), "1.23");
  EXPECT_EQ(rate_text(0.0 / 0.0), "-");
  EXPECT_EQ(ms_text(0.049), "0.05");
  EXPECT_EQ(ms_text(std::nullopt), "-");
  EXPECT_EQ(percent_text(0.0312), "3.1 %");
  EXPECT_EQ(percent_text(0.42), "42 %");
  EXPECT_EQ(percent_text(0), "0.0 %");
  EXPECT_EQ(percent_text(0.0004), "<0.1 %") << "little is not nothing";
  EXPECT_EQ(bytes_text(384e6), "384 MB");
  EXPECT_EQ(bytes_text(1.234e9), "1.2 GB");
  EXPECT_EQ(count_text(-1234), "-1,234");
  EXPECT_EQ(count_text(-123), "-123");
}

TEST(Format, AnIntervalOfOneValueIsNotClaimed) {
  EXPECT_EQ(rate_text(Interval{1000, 1000, 1000, 1}), "1,000");
  EXPECT_EQ(rate_text(Interval{1000, 990, 1010, 4}), "1,000 [990, 1,010]");
  EXPECT_EQ(ratio_text(Interval{4.211, 4.15, 4.27, 4}), "4.21x [4.15x, 4.27x]");
  EXPECT_EQ(ratio_text(Interval{1.0035, 1.0012, 1.0058, 9}), "1.004x [1.001x, 1.006x]");
  EXPECT_EQ(ratio_text(1), "1.00x");
}

TEST(Format, LinesBreakAtWordsAndNeverExceedTheWidth) {
  EXPECT_EQ(wrapped("one two three", 0, 2, 8), "one two\n  three\n");
  EXPECT_EQ(wrapped("a\nb\x1b[31m", 0, 0), "a b [31m\n") << "no control characters from file names";
  EXPECT_EQ(wrapped("", 0, 0), "\n");
  EXPECT_EQ(wrapped("about 12 % more", 0, 0, 8), "about\n12 %\nmore\n") << "a number keeps its unit";
}
