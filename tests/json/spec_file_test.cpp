#include "json/spec_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

namespace feedtune {
namespace {

using ::testing::ElementsAre;

/// where() and what is wrong, as a user reads them.
std::string error_of(const std::string& text) {
  try {
    decode_spec(text, "quick.json");
  } catch (const SpecError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SpecFile, EveryOptionIsRead) {
  const SpecFile spec = decode_spec(R"({"description": "x", "data": "photos", "device": "virtual:l4", "model": "mixer-s16",
    "step": "150ms@128,85ms@64", "axes": {"batch_size": [64, 128], "host_memory": ["pinned"]},
    "current": {"batch_size": 64, "loader": "pooled"}, "strategy": "random", "budget": "5m", "trial_time": "250ms",
    "cache": "cold", "image_size": 160, "seed": 18446744073709551615, "anchors": false, "within": "3%"})", "quick.json");
  EXPECT_EQ(spec.data, "photos");
  EXPECT_EQ(spec.device, "virtual:l4");
  EXPECT_EQ(spec.model, "mixer-s16");
  ASSERT_EQ(spec.step_times.size(), 2u);
  EXPECT_EQ(spec.step_times[0].batch_size, 64);
  EXPECT_DOUBLE_EQ(spec.step_times[0].step_ms, 85);
  EXPECT_THAT(spec.axes.at("batch_size"), ElementsAre(AxisValue(std::int64_t{64}), AxisValue(std::int64_t{128})));
  EXPECT_THAT(spec.axes.at("host_memory"), ElementsAre(AxisValue("pinned")));
  EXPECT_EQ(spec.current->key(), "batch_size=64,loader=pooled");
  EXPECT_EQ(spec.strategy, "random");
  EXPECT_EQ(spec.budget->seconds, 300);
  EXPECT_EQ(spec.trial_time_s, 0.25);
  EXPECT_EQ(spec.cache, CachePolicy::cold);
  EXPECT_EQ(spec.image_size, 160);
  EXPECT_EQ(spec.seed, UINT64_MAX);
  EXPECT_EQ(spec.anchors, false);
  EXPECT_DOUBLE_EQ(*spec.within, 0.03);
}

TEST(SpecFile, EveryOptionMayBeLeftOut) {
  const SpecFile spec = decode_spec("{}", "quick.json");
  EXPECT_FALSE(spec.data || spec.current || spec.budget || spec.seed || spec.within || spec.anchors);
  EXPECT_TRUE(spec.axes.empty());
}

TEST(SpecFile, ABudgetMayNameTimeAndTrials) {
  EXPECT_EQ(decode_spec(R"({"budget": "200trials"})", "f").budget->trials, 200);
  const SpecFile spec = decode_spec(R"({"budget": {"seconds": 90.5, "trials": 24}})", "f");
  EXPECT_EQ(spec.budget->seconds, 90.5);
  EXPECT_EQ(spec.budget->trials, 24);
}

TEST(SpecFile, AMistypedKeyIsNamedWithTheNearestAndAllAccepted) {
  EXPECT_EQ(error_of("{\n\"axis\": {}\n}"),
            "quick.json:2: unknown key \"axis\", did you mean axes?; accepted: description, data, device, model, step, axes, "
            "current, strategy, budget, trial_time, cache, image_size, seed, anchors, within");
  EXPECT_THAT(error_of(R"({"budget": {"second": 3}})"), ::testing::HasSubstr("budget: unknown key \"second\", did you mean seconds?"));
}

TEST(SpecFile, AWrongValueIsNamedByLinePathAndWhatIsAccepted) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"axes": {"batch_size": [1, 2, 0.5]}})", "quick.json:1: axes.batch_size[2]: got 0.5, want an integer or a name"},
      {R"({"axes": {"batch_size": [1, null]}})", "quick.json:1: axes.batch_size[1]: got null, want an integer or a name"},
      {R"({"axes": {"batch_size": 64}})", "quick.json:1: axes.batch_size: got 64, want a list of values, as in [1, 2, 4]"},
      {R"({"axes": {"batch_size": []}})", "quick.json:1: axes.batch_size: is empty, want at least one value"},
      {R"({"axes": {"batch_size": [64, 64]}})", "quick.json:1: axes.batch_size[1]: 64 stands twice"},
      {R"({"axes": {"a b\n": [[]]}})", "quick.json:1: axes[\"a b\\n\"][0]: got a list, want an integer or a name"},
      {R"({"axes": []})", "quick.json:1: axes: got a list, want an object"},
      {R"({"cache": "hot"})", "quick.json:1: cache: got \"hot\", want warm, cold, as-is"},
      {R"({"image_size": 7})", "quick.json:1: image_size: got 7, want an integer from 8 to 4096"},
      {R"({"seed": -1})", "quick.json:1: seed: got -1, want an integer from 0 to 18446744073709551615"},
      {R"({"anchors": "no"})", "quick.json:1: anchors: got \"no\", want true or false"},
      {R"({"budget": "5"})", "quick.json:1: budget: got \"5\", want a time as in 5m or a number of trials as in 200trials"},
      {R"({"budget": {}})", "quick.json:1: budget: got an object, want \"5m\", \"200trials\" or {\"seconds\": 300, \"trials\": 200}"},
      {R"({"budget": {"trials": 0}})", "quick.json:1: budget.trials: got 0, want an integer from 1 to 9223372036854775807"},
      {R"({"budget": {"seconds": 0}})", "quick.json:1: budget.seconds: got 0, want a number above 0"},
      {R"({"trial_time": 3})", "quick.json:1: trial_time: got 3, want a time with its unit, as in \"3s\""},
      {R"({"trial_time": "3"})", "quick.json:1: trial_time: got \"3\", want a time above 0 with its unit (ms, s, m, h), as in 90s or 1.5h"},
      {R"({"within": 2})", "quick.json:1: within: got 2, want a share from 0 to 1, as in \"2%\" or 0.02"},
      {R"({"within": null})", "quick.json:1: within: got null, want a share from 0 to 1, as in \"2%\" or 0.02"},
      {R"({"step": "85@64"})", "quick.json:1: step: got \"85@64\", want TIME@BATCH,..., as in 85ms@64,150ms@128"},
      {R"({"data": ""})", "quick.json:1: data: got \"\", want a folder or a file list"},
      {R"({"device": 1})", "quick.json:1: device: got 1, want a device, as in \"cpu\" or \"virtual:rtx-4090\""},
      {R"([])", "quick.json:1: got a list, want an object"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(error_of(text), message);
}

}  // namespace
}  // namespace feedtune
