#include "core/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

namespace feedtune {
namespace {

template <class Parse>
std::string error_of(const Parse& parse, std::string_view text) {
  try {
    parse(text, "--option");
  } catch (const SpecError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Parse, DurationsTakeEachUnit) {
  EXPECT_DOUBLE_EQ(parse_duration_s("5m", ""), 300);
  EXPECT_DOUBLE_EQ(parse_duration_s("90s", ""), 90);
  EXPECT_DOUBLE_EQ(parse_duration_s("1.5h", ""), 5400);
  EXPECT_DOUBLE_EQ(parse_duration_s("250ms", ""), 0.25);
}

TEST(Parse, DurationsThatCannotBeAreRefusedWithWhatIsAccepted) {
  EXPECT_EQ(error_of(parse_duration_s, "5"), "--option: got \"5\", want a time above 0 with its unit (ms, s, m, h), as in 90s or 1.5h");
  for (const char* text : {"", "s", "0s", "-1s", "+1s", "nans", "infs", "1e999s", "1e306h", "5 m", "5min", "0x10s", "1,5s", "5M"})
    EXPECT_NE(error_of(parse_duration_s, text), "accepted") << text;
  EXPECT_LT(error_of(parse_duration_s, std::string(100'000, '1')).size(), 200u);
}

TEST(Parse, BudgetsAreTimesOrTrials) {
  EXPECT_EQ(parse_budget("5m", "").seconds, 300);
  EXPECT_EQ(parse_budget("5m", "").trials, std::nullopt);
  EXPECT_EQ(parse_budget("200trials", "").trials, 200);
  EXPECT_EQ(parse_budget("1trial", "").trials, 1);
  EXPECT_EQ(parse_budget("200trials", "").seconds, std::nullopt);
  for (const char* text : {"", "200", "trials", "0trials", "-5trials", "1.5trials", "99999999999999999999trials"})
    EXPECT_NE(error_of(parse_budget, text), "accepted") << text;
}

TEST(Parse, SharesArePercentOrFractions) {
  EXPECT_DOUBLE_EQ(parse_share("2%", ""), 0.02);
  EXPECT_DOUBLE_EQ(parse_share("0.02", ""), 0.02);
  EXPECT_DOUBLE_EQ(parse_share("100%", ""), 1);
  EXPECT_DOUBLE_EQ(parse_share("0", ""), 0);
  for (const char* text : {"", "%", "2", "101%", "-1%", "nan", "2%%"}) EXPECT_NE(error_of(parse_share, text), "accepted") << text;
}

TEST(Parse, AxisValuesAreIntegersOrNames) {
  EXPECT_EQ(parse_axis_value("64", ""), AxisValue(std::int64_t{64}));
  EXPECT_EQ(parse_axis_value("-1", ""), AxisValue(std::int64_t{-1}));
  EXPECT_EQ(parse_axis_value("pinned", ""), AxisValue("pinned"));
  EXPECT_EQ(parse_axis_value("64.5", ""), AxisValue("64.5")) << "the axis says what it accepts";
  EXPECT_NE(error_of(parse_axis_value, ""), "accepted");
  EXPECT_NE(error_of(parse_axis_value, "99999999999999999999"), "accepted");
}

TEST(Parse, AssignmentsNameEachAxisOnce) {
  EXPECT_EQ(parse_assignments("batch_size=64,host_memory=pinned", "").key(), "batch_size=64,host_memory=pinned");
  EXPECT_EQ(error_of(parse_assignments, "a=1,a=2"), "--option: a is given twice");
  EXPECT_EQ(error_of(parse_assignments, "a"), "--option: got \"a\", want NAME=VALUE,..., as in batch_size=64,num_workers=4");
  for (const char* text : {"", "=1", "a=", "a=1,", "a=1,,b=2"}) EXPECT_NE(error_of(parse_assignments, text), "accepted") << text;
}

TEST(Parse, AnAxisListsEachValueOnce) {
  const auto [name, values] = parse_axis("num_workers=0,2,4", "");
  EXPECT_EQ(name, "num_workers");
  EXPECT_THAT(values, ::testing::ElementsAre(AxisValue(std::int64_t{0}), AxisValue(std::int64_t{2}), AxisValue(std::int64_t{4})));
  EXPECT_EQ(error_of(parse_axis, "num_workers=0,0"), "--option: 0 is given twice");
  for (const char* text : {"", "num_workers", "=1", "a=", "a=1,"}) EXPECT_NE(error_of(parse_axis, text), "accepted") << text;
}

TEST(Parse, StepTimesAreSortedByBatchSize) {
  const auto times = parse_step_times("0.15s@128,85ms@64", "");
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].batch_size, 64);
  EXPECT_DOUBLE_EQ(times[0].step_ms, 85);
  EXPECT_EQ(times[1].batch_size, 128);
  EXPECT_DOUBLE_EQ(times[1].step_ms, 150);
  EXPECT_EQ(error_of(parse_step_times, "1s@64,2s@64"), "--option: batch size 64 is given twice");
  for (const char* text : {"", "85ms", "85ms@", "@64", "85@64", "85ms@0", "85ms@-1", "85ms@1.5", "85ms@64,", "85ms@99999999999"})
    EXPECT_NE(error_of(parse_step_times, text), "accepted") << text;
}

}  // namespace
}  // namespace feedtune
