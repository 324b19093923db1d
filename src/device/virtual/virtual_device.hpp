#pragma once
// GPUs that aren't there. The device's time is computed, the host's side (decoding, the staging copy of pageable memory,
// launches, waiting) is real and lives on the clock.

#include <memory>

#include "core/device_profile.hpp"
#include "device/device.hpp"
#include "device/host_allocators.hpp"

namespace feedtune {

/// facts().name is "virtual:" + profile.name. Throws InputError for a profile with a figure that can't be.
/// The device also is a TimedWork (device/timed_work.hpp).
std::unique_ptr<Device> make_virtual_device(const DeviceProfile& profile, std::shared_ptr<Clock> clock, HostMemoryLeft left = {});

}  // namespace feedtune
