#pragma once
#include <memory>

#include "core/trial_setup.hpp"
#include "device/device.hpp"
#include "device/host_allocators.hpp"

namespace feedtune {

/// The device that `setup` names: cuda, cpu (with its model_threads), null, or virtual:NAME (with its profile). Throws
/// DeviceUnavailableError, with the reason, for one that cannot be used here. `left`: what host memory is held against.
std::unique_ptr<Device> make_device(const TrialSetup& setup, std::shared_ptr<Clock> clock, HostMemoryLeft left = {});

}  // namespace feedtune
