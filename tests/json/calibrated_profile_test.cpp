// What calibrate writes can be read again, and a damaged or hostile profile is refused by its place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "calibrated_profile.hpp"
#include "core/error.hpp"
#include "json/device_profile_json.hpp"
#include "json/value.hpp"

namespace feedtune {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    decode_device_profile(text, "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// Of a profile that `change` has spoilt.
template <class Change>
std::string refused(const Change& change) {
  DeviceProfile profile = testing::calibrated_profile();
  change(profile);
  return error_of(encode(profile));
}

TEST(CalibratedProfile, IsReadAsItWasWritten) {
  const std::string text = encode(testing::calibrated_profile());
  EXPECT_EQ(error_of(text), "accepted");
  const DeviceProfile again = decode_device_profile(text, "f.json");
  EXPECT_EQ(encode(again), text);
  ASSERT_EQ(again.steps.size(), 1u);
  EXPECT_EQ(again.steps[0].points[1].batch_size, 8);
  EXPECT_EQ(again.fake, "fake");
}

TEST(CalibratedProfile, OneThatCannotBeIsNamedByItsPlace) {
  EXPECT_THAT(refused([](auto& p) { p.steps[0].points.resize(1); }), HasSubstr("steps[0].points: has 1 point, want 2 at least"));
  EXPECT_THAT(refused([](auto& p) { p.steps[0].points[1].batch_size = 4; }), HasSubstr("steps[0].points[1]: batch sizes must be above 0 and grow"));
  EXPECT_THAT(refused([](auto& p) { p.steps[0].points[0].batch_size = 0; }), HasSubstr("steps[0].points[0]: batch sizes"));
  EXPECT_THAT(refused([](auto& p) { p.steps[0].points[1].backward_ms = -1; }), HasSubstr("steps[0].points[1]: a part of the step takes -1 ms"));
  EXPECT_THAT(refused([](auto& p) { p.steps[0].points[0] = {.batch_size = 4}; }), HasSubstr("steps[0].points[0]: a step takes no time"));
  EXPECT_THAT(refused([](auto& p) { p.steps[0].forward.slope = -1; }), HasSubstr("steps[0].forward: fixed 0 and slope -1, want both from 0 to 1e+09"));
  EXPECT_THAT(refused([](auto& p) { p.steps[0].host_ms.value = -1; }), HasSubstr("steps[0].host_ms.value: got -1"));
  EXPECT_THAT(refused([](auto& p) { p.steps[0].model = ""; }), HasSubstr("steps[0].model: got"));
  EXPECT_THAT(refused([](auto& p) { p.steps[0].image_size = 0; }), HasSubstr("steps[0].image_size: got 0"));
  EXPECT_THAT(refused([](auto& p) { p.steps.push_back(p.steps[0]); }), HasSubstr("steps[1]: mixer-pico in fp32 at 32 pixels stands twice"));
  EXPECT_THAT(refused([](auto& p) { p.copies[0].gb_s = 0; }), HasSubstr("copies[0].gb_s: got 0"));
}

TEST(CalibratedProfile, AFigureThatNoDeviceHasIsRefusedBeforeItOverflowsAClock) {
  for (const double value : {1e300, 1e-300, 0.0, -1.0}) {
    EXPECT_THAT(refused([&](auto& p) { p.copy_latency_us.value = p.copy_latency_us.provenance.low = p.copy_latency_us.provenance.high = value; }),
                HasSubstr("want a number from 1e-6 to 1e9")) << value;
    EXPECT_THAT(refused([&](auto& p) { p.memory_gb.value = p.memory_gb.provenance.low = p.memory_gb.provenance.high = value; }),
                HasSubstr("want a number from 1e-6 to 1e9")) << value;
  }
  EXPECT_THAT(refused([](auto& p) { p.steps[0].points[1].update_ms = 1e300; }), HasSubstr("want 0 to 1e9"));
  EXPECT_THAT(refused([](auto& p) { p.steps[0].points[1].low_ms = -1e9; }), HasSubstr("no interval of a time"));
  EXPECT_THAT(refused([](auto& p) { p.steps[0].points[1].device_bytes = -1; }), HasSubstr("device_bytes: got -1"));
  EXPECT_THAT(refused([](auto& p) { p.copies[0].latency_us = -5; }), HasSubstr("copies[0].latency_us: got -5"));
  EXPECT_THAT(refused([](auto& p) { p.copies.push_back(p.copies[0]); }), HasSubstr("stand twice"));
  EXPECT_THAT(refused([](auto& p) { p.copies[0].points.clear(); }), HasSubstr("copies[0].points: has 0 points, want 2 at least"));
  EXPECT_THAT(refused([](auto& p) { p.copies[0].points[1].bytes = 1; }), HasSubstr("grow from point to point"));
}

TEST(CalibratedProfile, ANameThatWouldLeadOutOfTheRunFolderIsRefused) {
  for (const char* name : {"../../x", "/etc/x", "a b", "", ".hidden", "x\ny", "caf\xC3\xA9"})
    EXPECT_THAT(refused([&](auto& p) { p.name = name; }), HasSubstr("name: got")) << name;
  EXPECT_FALSE(is_profile_name(std::string(101, 'x')));
  EXPECT_TRUE(is_profile_name("nvidia-h100_80GB.v2"));
}

/// Where a value stands in a document, and as an error names it: "steps[0].points[1].batch_size".
struct Spot {
  std::string path, parent;
  JsonValue* value = nullptr;
};

void collect(JsonValue& value, const std::string& path, std::vector<Spot>& spots) {
  if (auto* items = std::get_if<JsonValue::Array>(&value.data)) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      const std::string at = path + "[" + std::to_string(i) + "]";
      spots.push_back({at, path, &(*items)[i]});
      collect((*items)[i], at, spots);
    }
  } else if (auto* members = std::get_if<JsonValue::Object>(&value.data)) {
    for (auto& [name, member] : *members) {
      const std::string at = path.empty() ? name : path + "." + name;
      spots.push_back({at, path.empty() ? name : path, &member});
      collect(member, at, spots);
    }
  }
}

/// What no field of that kind may hold: another type, and where it is a text or a number, none and one that can't be.
std::vector<JsonValue::Data> wrong_values(const JsonValue& value) {
  if (value.text() != nullptr) return {std::int64_t{7}, std::string(), JsonValue::Array{}};
  if (value.array() != nullptr || value.object() != nullptr) return {std::int64_t{7}, std::string("x")};
  if (std::holds_alternative<bool>(value.data)) return {std::int64_t{7}, nullptr};
  return {std::string("x"), nullptr, -1e300, 1e300};
}

TEST(CalibratedProfile, EveryFieldWrongInTurnIsRefusedByItsPlace) {
  JsonValue document = parse_json(encode(testing::calibrated_profile()), "f.json");
  std::vector<Spot> spots;
  collect(document, "", spots);
  EXPECT_GT(spots.size(), 150u);
  std::reverse(spots.begin(), spots.end());  // inner ones first: putting an outer one back makes its members anew
  for (const Spot& spot : spots) {
    const JsonValue right = *spot.value;
    for (const JsonValue::Data& wrong : wrong_values(right)) {
      spot.value->data = wrong;
      const std::string error = error_of(compact_text(document));
      EXPECT_THAT(error, HasSubstr("f.json")) << spot.path << " = " << shown(*spot.value) << " was " << error;
      EXPECT_THAT(error, HasSubstr(spot.parent)) << spot.path << " = " << shown(*spot.value);
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
    *spot.value = right;
  }
  EXPECT_EQ(error_of(compact_text(document)), "accepted");
}

TEST(CalibratedProfile, OneCutOffAnywhereIsRefusedWithoutACrash) {
  const std::string text = encode(testing::calibrated_profile());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7)
    EXPECT_NE(error_of(text.substr(0, length)), "accepted") << length;
}

}  // namespace
}  // namespace feedtune
