#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/error.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cuda_plugin.hpp"
#include "device/make_device.hpp"

namespace feedtune::test {

inline std::unique_ptr<Device> make_cuda(std::shared_ptr<Clock> clock = std::make_shared<SteadyClock>()) {
  TrialSetup setup;
  setup.device = "cuda";
  return make_device(setup, std::move(clock));
}

/// Skips its tests, with the reason, where no GPU (and no fake of one) can be used.
class WithCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (const CudaStatus now = cuda_status(); now.absence != CudaAbsence::none) GTEST_SKIP() << "no GPU to test on: " << now.reason;
  }
};

inline bool computes(const Device& device, Precision precision) {
  const auto& all = device.facts().precisions;
  return std::find(all.begin(), all.end(), to_text(precision)) != all.end();
}

/// A tensor with its memory.
struct Owned {
  DeviceBuffer memory;
  Tensor tensor;
};

inline Owned on_device(Device& device, const std::vector<float>& values, Element element = Element::f32) {
  Owned owned;
  owned.memory = device.memory().allocate(values.size() * device.math().element_bytes(element));
  owned.tensor = {owned.memory.address(), values.size(), element};
  device.math().upload(owned.tensor, values);
  return owned;
}

inline std::vector<float> values_of(Device& device, const Tensor& tensor) {
  std::vector<float> values(tensor.count);
  device.math().download(tensor, values);
  return values;
}

}  // namespace feedtune::test
