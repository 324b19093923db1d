#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "build_paths.hpp"
#include "cli/devices.hpp"
#include "core/error.hpp"
#include "json/calibrated_profile.hpp"
#include "json/device_profile_json.hpp"

namespace feedtune {
namespace {

using ::testing::HasSubstr;

std::map<std::string, double> peaks_of(const std::string& driver_name) {
  ::setenv("FEEDTUNE_CONFIGS", (std::string(build_paths::sources) + "/configs").c_str(), 1);
  ChosenDevice chosen;
  chosen.name = "cuda";
  chosen.facts.title = driver_name;
  return peak_tflops_of(chosen);
}

TEST(Peaks, AGpusPeakIsThatOfItsProfileByWhateverNameTheDriverGivesIt) {
  EXPECT_EQ(peaks_of("NVIDIA H100 80GB HBM3").at("bf16"), 989.4);  // NVIDIA's H100 whitepaper, dense
  EXPECT_EQ(peaks_of("NVIDIA H200"), (std::map<std::string, double>{{"fp32", 66.9}, {"tf32", 494.7}, {"bf16", 989.5}, {"fp16", 989.5}}));
  EXPECT_EQ(peaks_of("NVIDIA A100-SXM4-80GB").at("bf16"), 312);
  EXPECT_EQ(peaks_of("NVIDIA A100-SXM4-40GB").at("tf32"), 156);
  EXPECT_EQ(peaks_of("NVIDIA H100 PCIe").at("tf32"), 378);  // the same whitepaper
  EXPECT_EQ(peaks_of("NVIDIA L40S").at("fp16"), 362.05);    // NVIDIA's L40S datasheet, without sparsity
  EXPECT_EQ(peaks_of("Tesla T4").count("fp16"), 1u);
  EXPECT_EQ(peaks_of("NVIDIA GeForce RTX 4090").count("fp32"), 1u);
}

TEST(Profiles, OneForAModelThatThisFeedtuneLacksIsRefusedWithTheNearest) {
  DeviceProfile profile = testing::calibrated_profile();
  EXPECT_NO_THROW(profile_of(encode(profile), "f.json"));
  const auto refused = [&] {
    try {
      profile_of(encode(profile), "f.json");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  profile.steps[0].model = "mixer-pcio";
  EXPECT_THAT(refused(), HasSubstr("f.json: steps[0]: model: \"mixer-pcio\" is unknown, did you mean mixer-pico?"));
  profile.steps[0].model = "mixer-pico";
  profile.steps[0].image_size = 33;
  EXPECT_THAT(refused(), HasSubstr("f.json: steps[0]: ")) << "no size that its patches divide";
}

TEST(Peaks, OfAGpuWithoutAProfileNothingIsClaimed) { EXPECT_TRUE(peaks_of("NVIDIA GeForce GT 710").empty()); }

}  // namespace
}  // namespace feedtune
