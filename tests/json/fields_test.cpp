// A member added to a struct of core/ and forgotten in its list of fields would be lost in every file without a word.

#include <gtest/gtest.h>

#include "json/recommendation_fields.hpp"
#include "json/rates_fields.hpp"
#include "json/run_fields.hpp"

namespace feedtune {
namespace {

struct Counter {
  template <class T>
  void field(const char*, T&) {
    ++fields;
  }
  template <class T>
  void later_field(const char*, T&) {
    ++fields;
  }
  void text_or_null(const char*, std::string&) { ++fields; }
  void path(const char*, const char*, std::string&) { ++fields; }
  void pair(const char*, double&, double&) { fields += 2; }
  template <class Body>
  void group(const char*, const Body& body) {
    body(*this);
  }
  int fields = 0;
};

template <class T>
int listed() {
  T value{};
  Counter counter;
  fields(counter, value);
  return counter.fields;
}

// T{ {}, {}, ... } takes as many {} as T has members, and no more.
#define B1 {}
#define B2 B1, B1
#define B3 B2, B1
#define B4 B2, B2
#define B5 B4, B1
#define B6 B4, B2
#define B7 B4, B3
#define B8 B4, B4
#define B9 B8, B1
#define B10 B8, B2
#define B12 B8, B4
#define B13 B8, B5
#define B14 B12, B2
#define B15 B8, B7
#define B16 B8, B8
#define B17 B16, B1
#define B18 B16, B2
#define B24 B12, B12
#define EXPECT_MEMBERS(T, members, ...)                                                                          \
  {                                                                                                                 \
    constexpr bool as_many = []<class S>(S*) { return requires { S{__VA_ARGS__}; }; }(static_cast<T*>(nullptr));         \
    constexpr bool no_more = []<class S>(S*) { return !requires { S{__VA_ARGS__, {}}; }; }(static_cast<T*>(nullptr));    \
    EXPECT_TRUE(as_many) << #T " has fewer than " << members << " members";                                         \
    EXPECT_TRUE(no_more) << #T " has more than " << members << " members: list the new one in src/json and here";   \
  }

TEST(Fields, EveryMemberOfEveryStructIsInItsJson) {
#define EXPECT_ALL_LISTED(T, members) EXPECT_MEMBERS(T, members, B##members) EXPECT_EQ(listed<T>(), members) << #T
  EXPECT_ALL_LISTED(Interval, 4);
  EXPECT_ALL_LISTED(PhaseSummary, 7);
  EXPECT_ALL_LISTED(ImageCounts, 3);
  EXPECT_ALL_LISTED(FileNote, 3);
  EXPECT_ALL_LISTED(MemoryUse, 7);
  EXPECT_ALL_LISTED(Oscillation, 9);
  EXPECT_ALL_LISTED(GpuUse, 13);
  EXPECT_ALL_LISTED(StepTime, 2);
  EXPECT_ALL_LISTED(ReplaySource, 2);
  EXPECT_ALL_LISTED(DataSetup, 4);
  EXPECT_ALL_LISTED(LoaderSetup, 13);
  EXPECT_ALL_LISTED(StepSetup, 6);
  EXPECT_ALL_LISTED(TrialSetup, 5);
  EXPECT_ALL_LISTED(TrialTarget, 4);
  EXPECT_ALL_LISTED(TrialRequest, 9);
  EXPECT_ALL_LISTED(Provenance, 4);
  EXPECT_ALL_LISTED(Figure, 2);
  EXPECT_ALL_LISTED(EfficiencyPoint, 2);
  EXPECT_ALL_LISTED(Line, 2);
  EXPECT_ALL_LISTED(HoldOut, 6);
  EXPECT_ALL_LISTED(StepPoint, 7);
  EXPECT_ALL_LISTED(StepCurve, 13);
  EXPECT_ALL_LISTED(CopyPoint, 4);
  EXPECT_ALL_LISTED(CopyCurve, 5);
  EXPECT_ALL_LISTED(EfficiencyCurve, 2);
  EXPECT_ALL_LISTED(DeviceProfile, 18);
  EXPECT_ALL_LISTED(StepShape, 4);
  EXPECT_ALL_LISTED(RatesRequest, 3);
  EXPECT_ALL_LISTED(SizeTimes, 2);
  EXPECT_ALL_LISTED(DeviceRates, 10);
  EXPECT_ALL_LISTED(ToolFacts, 5);
  EXPECT_ALL_LISTED(CpuLimit, 5);
  EXPECT_ALL_LISTED(Fact, 3);
  EXPECT_ALL_LISTED(MachineFacts, 2);
  EXPECT_ALL_LISTED(DataFacts, 6);
  EXPECT_ALL_LISTED(DeviceFacts, 10);
  EXPECT_ALL_LISTED(ModelFacts, 5);
  EXPECT_ALL_LISTED(Budget, 2);
  EXPECT_ALL_LISTED(Spec, 17);
  EXPECT_ALL_LISTED(RunNote, 2);
  EXPECT_ALL_LISTED(Candidate, 6);
  EXPECT_ALL_LISTED(Ceilings, 6);
  EXPECT_ALL_LISTED(PerBatch, 2);
}

TEST(Fields, NoReaderOrPlaceIsMadeFromATemporaryThatItWouldOutlive) {
  EXPECT_TRUE((std::is_constructible_v<ObjectReader, const JsonValue&, const Place&>));
  EXPECT_FALSE((std::is_constructible_v<ObjectReader, const JsonValue&, Place>));
  EXPECT_FALSE((std::is_constructible_v<ObjectReader, JsonValue, const Place&>));
  EXPECT_TRUE((std::is_constructible_v<Place, const Place&, std::string_view>));
  EXPECT_FALSE((std::is_constructible_v<Place, Place, std::string_view>));
  EXPECT_FALSE((std::is_constructible_v<Place, Place, std::size_t>));
}

TEST(Fields, WhatIsWrittenElsewhereThanInItsStructIsCountedToo) {
  EXPECT_MEMBERS(HostUse, 13, B12, B1)
  EXPECT_EQ(listed<HostUse>(), 13 - 1) << "cpu_s_per_image stands in the trial";
  EXPECT_MEMBERS(TrialResult, 31, B24, B7)
  EXPECT_EQ(listed<TrialResult>(), 31 + 1);
  EXPECT_MEMBERS(Gain, 4, B4)
  EXPECT_EQ(listed<Gain>(), 4 - 1 + 4) << "the ratio's four numbers stand in the gain";
  EXPECT_MEMBERS(Recommendation, 26, B24, B2)
  EXPECT_EQ(listed<Recommendation>(), 26 - 1) << "the ceilings stand beside it";
  EXPECT_MEMBERS(feedtune::Run, 11, B8, B3)
  feedtune::Run run;
  Counter counter;
  header_fields(counter, run);
  EXPECT_EQ(counter.fields + 4, 11) << "complete, trials, notes and recommendation are run_json.cpp's";
}

}  // namespace
}  // namespace feedtune
