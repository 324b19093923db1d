#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "build_paths.hpp"
#include "cli/devices.hpp"

namespace feedtune {
namespace {

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

TEST(Peaks, OfAGpuWithoutAProfileNothingIsClaimed) { EXPECT_TRUE(peaks_of("NVIDIA GeForce GT 710").empty()); }

}  // namespace
}  // namespace feedtune
