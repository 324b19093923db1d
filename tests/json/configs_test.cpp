// The files of configs/ are read by the program that they are shipped with.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "build_paths.hpp"
#include "core/error.hpp"
#include "json/anchors.hpp"
#include "json/device_profile_json.hpp"
#include "json/spec_file.hpp"

namespace fs = std::filesystem;

namespace feedtune {
namespace {

using ::testing::HasSubstr;

const fs::path configs = fs::path(build_paths::sources) / "configs";

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  if (at != std::string::npos) text.replace(at, what.size(), by);
  return text;
}

template <class Decode>
std::string error_of(const Decode& decode, const std::string& text) {
  try {
    decode(text, "f.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Configs, EveryDeviceProfileLoadsUnderItsFilesName) {
  int profiles = 0;
  for (const auto& entry : fs::directory_iterator(configs / "devices")) {
    if (entry.path().extension() != ".json") continue;
    ++profiles;
    DeviceProfile profile;
    ASSERT_NO_THROW(profile = decode_device_profile(read(entry.path()), entry.path().filename().string())) << entry.path();
    EXPECT_EQ(profile.name, entry.path().stem().string());
    EXPECT_EQ(encode(decode_device_profile(encode(profile), "again")), encode(profile));
  }
  EXPECT_GE(profiles, 5) << "rtx-2080ti, rtx-4090, l4, a100-40g, h100-sxm";
}

TEST(Configs, EverySpecLoads) {
  for (const auto& entry : fs::directory_iterator(configs)) {
    if (entry.path().extension() != ".json" || entry.path().filename().string().starts_with("anchors")) continue;
    EXPECT_NO_THROW(decode_spec(read(entry.path()), entry.path().filename().string())) << entry.path();
  }
}

TEST(Configs, TheAnchorsTakeUnderAMinuteAndEachIsThereOnce) {
  const AnchorSet anchors = decode_anchors(read(configs / "anchors-v1.json"), "anchors-v1.json");
  EXPECT_EQ(anchors.version, "anchors-v1");
  EXPECT_EQ(anchors.images, 1000);
  EXPECT_EQ(anchors.seed, 1u);
  ASSERT_EQ(anchors.configurations.size(), 10u);
  EXPECT_LE(anchors.trial_time_s * 10, 60);
  for (const auto& configuration : anchors.configurations) {
    EXPECT_EQ(configuration.text("host_memory"), "pageable") << "the common values belong to each";
    EXPECT_EQ(configuration.text("precision"), "fp32") << "said once, where it is used";
    EXPECT_LE(configuration.integer("batch_size").value() * 10, anchors.images);
  }
}

TEST(Configs, AnAnchorSetThatCannotBeIsNamedByItsPlace) {
  const std::string good = read(configs / "anchors-v1.json");
  EXPECT_THAT(error_of(decode_anchors, replaced(good, "\"images\": 1000", "\"images\": 0")), HasSubstr("images: got 0, want an integer >= 1"));
  EXPECT_THAT(error_of(decode_anchors, replaced(good, "\"image_size\": 224", "\"image_size\": 4097")), HasSubstr("image_size: got 4097, want an integer from 8 to 4096"));
  EXPECT_THAT(error_of(decode_anchors, replaced(good, "\"num_workers\": 1}", "\"num_workers\": 0}")), HasSubstr("configurations[1]: stands twice"));
  EXPECT_THAT(error_of(decode_anchors, replaced(good, "\"model\"", "\"modell\"")), HasSubstr("\"model\" is missing"));
  EXPECT_THAT(error_of(decode_anchors, replaced(good, "\"seed\"", "\"sed\": 1, \"seed\"")), HasSubstr("f.json:5: unknown key \"sed\", did you mean seed?"));
  EXPECT_THAT(error_of(decode_anchors, replaced(good, "\"3s\"", "\"3\"")), HasSubstr("trial_time: got \"3\""));
}

TEST(Configs, ADeviceProfileThatCannotBeIsNamedByItsPlace) {
  const std::string good = read(configs / "devices" / "rtx-4090.json");
  const auto error = [&](const std::string& what, const std::string& by) { return error_of(decode_device_profile, replaced(good, what, by)); };
  EXPECT_EQ(error("\"name\"", "\"name\""), "accepted");
  EXPECT_THAT(error("\"launch_us\": {\"value\": ", "\"launch_us\": {\"value\": -"), HasSubstr("launch_us.value: got -"));
  EXPECT_THAT(error("\"launch_us\": {\"value\": ", "\"launch_us\": {\"value\": 1000"), HasSubstr("launch_us: value 1000"));
  EXPECT_THAT(error("\"launch_us\"", "\"launch_ms\""), HasSubstr("\"launch_us\" is missing"));
  EXPECT_THAT(error("\"fp16\"", "\"fp8\""), HasSubstr("peak_tflops.fp8: no precision; accepted: fp32, tf32, bf16, fp16"));
  EXPECT_THAT(error("\"kind\": \"datasheet\"", "\"kind\": \"rumour\""), HasSubstr("got \"rumour\", want measured, datasheet, estimate"));
  EXPECT_THAT(error("\"host_wait\": \"spin\"", "\"host_wait\": \"sleep\""), HasSubstr("host_wait: got \"sleep\", want spin, block"));
  EXPECT_THAT(error("{\"flops\": 1e7", "{\"flops\": 1e6"), HasSubstr("gemm_efficiency[1]: flops must grow"));
  EXPECT_THAT(error("feedtune.device_profile", "feedtune.result"), HasSubstr("schema: got \"feedtune.result\""));
}

}  // namespace
}  // namespace feedtune
