#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/error.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/make_device.hpp"

namespace feedtune::test {

inline std::unique_ptr<Device> make_cuda(std::shared_ptr<Clock> clock = std::make_shared<SteadyClock>()) {
  TrialSetup setup;
  setup.device = "cuda";
  return make_device(setup, std::move(clock));
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
