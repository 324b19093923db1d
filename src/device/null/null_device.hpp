#pragma once
#include <memory>

#include "device/device.hpp"
#include "device/host_allocators.hpp"

namespace feedtune {

/// `null`: everything takes no time, copies included, and memory has no limit. What a trial on it measures is the
/// loader and the tool itself. Its facts say modelled. The device also is a TimedWork.
std::unique_ptr<Device> make_null_device(std::shared_ptr<Clock> clock, HostMemoryLeft left = {});

}  // namespace feedtune
