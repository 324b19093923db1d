#include "space/recorded_space.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

using namespace feedtune;

namespace {

Configuration of(std::map<std::string, AxisValue> values) { return Configuration(std::move(values)); }

/// An axis that feedtune has never heard of, one that it has, and a hole: flux high was not run with 4 workers.
SearchSpace space() {
  return recorded_space({of({{"flux", "low"}, {"num_workers", std::int64_t{4}}}), of({{"flux", "high"}, {"num_workers", std::int64_t{0}}}),
                         of({{"flux", "low"}, {"num_workers", std::int64_t{0}}})},
                        {});
}

std::string fault_of(const Configuration& given) {
  try {
    complete(given, space(), "current");
  } catch (const SpecError& error) {
    return error.what();
  }
  return "taken";
}

}  // namespace

TEST(RecordedSpace, IsWhatWasRecordedWhateverItsAxes) {
  const SearchSpace recorded = space();
  EXPECT_EQ(recorded.configurations.size(), 3u);
  EXPECT_TRUE(std::is_sorted(recorded.configurations.begin(), recorded.configurations.end()));
  EXPECT_EQ(recorded.selections.at("num_workers"), (std::vector<AxisValue>{std::int64_t{0}, std::int64_t{4}}));
  EXPECT_EQ(recorded.selections.at("flux"), (std::vector<AxisValue>{"high", "low"}));
}

TEST(RecordedSpace, APartOfAConfigurationFindsOneThatWasRecorded) {
  EXPECT_EQ(complete(of({{"num_workers", std::int64_t{4}}}), space(), "current").configuration, of({{"flux", "low"}, {"num_workers", std::int64_t{4}}}));
  EXPECT_FALSE(find_recorded(of({{"flux", "high"}, {"num_workers", std::int64_t{4}}}), space()));
}

TEST(RecordedSpace, WhatWasNotRecordedIsRefusedWithWhatWas) {
  EXPECT_EQ(fault_of(of({{"num_worker", std::int64_t{4}}})), "current.num_worker: not recorded, did you mean num_workers?; axes: flux, num_workers");
  EXPECT_EQ(fault_of(of({{"num_workers", std::int64_t{2}}})), "current.num_workers: 2 was not recorded; values: 0, 4");
  EXPECT_EQ(fault_of(of({{"flux", "high"}, {"num_workers", std::int64_t{4}}})), "current: no configuration with flux=high,num_workers=4 was recorded");
}
