// The GPU's counters over a window: means where a mean says something, the highest where links and heat are meant, and a reason
// for each value that isn't there.

#include "measure/gpu_window.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace feedtune {
namespace {

TEST(GpuWindow, MeansHighestAndSharesOfTheSamples) {
  std::vector<GpuSample> samples(4);
  for (int k = 0; k < 4; ++k) {
    GpuSample& sample = samples[static_cast<std::size_t>(k)];
    sample.utilization = 0.2 * k;
    sample.sm_mhz = 1000 + 100 * k;
    sample.temperature_c = 60 - k;
    sample.pcie_generation = k == 2 ? 4 : 1;  // a link rests between copies
    sample.throttled_by = k < 2 ? std::vector<std::string>{"sw_power_cap"} : std::vector<std::string>{};
    sample.unknown["power_w"] = "Not Supported";
  }
  samples[3].sm_mhz.reset();
  GpuLimits limits;
  limits.pcie_generation_max = 5;
  limits.unknown["mig"] = "Not Supported";
  std::map<std::string, std::string> unknown;
  const GpuUse use = gpu_use_of(samples, 0, limits, unknown);
  EXPECT_DOUBLE_EQ(use.utilization.value(), 0.3);
  EXPECT_DOUBLE_EQ(use.sm_mhz.value(), 1100);
  EXPECT_EQ(use.temperature_c, 60);
  EXPECT_EQ(use.pcie_generation, 4);
  EXPECT_EQ(use.pcie_generation_max, 5);
  EXPECT_EQ(use.throttled, (std::map<std::string, double>{{"sw_power_cap", 0.5}}));
  EXPECT_FALSE(use.power_w);
  EXPECT_EQ(unknown.at("gpu.power_w"), "Not Supported");
  EXPECT_EQ(unknown.at("gpu.mig"), "Not Supported");
  EXPECT_EQ(unknown.at("gpu.memory_mhz"), "no sample was taken");
  EXPECT_FALSE(unknown.contains("gpu.sm_mhz"));
}

TEST(GpuWindow, SamplesFromStartToStopAndNotAfter) {
  std::atomic<int> calls = 0;
  GpuWindow window([&] {
    ++calls;
    GpuSample sample;
    sample.utilization = 0.5;
    return sample;
  });
  window.start();
  while (calls < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::map<std::string, std::string> unknown;
  EXPECT_EQ(window.stop(0, {}, unknown).utilization, 0.5);
  const int then = calls;
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  EXPECT_EQ(calls, then);
}

}  // namespace
}  // namespace feedtune
