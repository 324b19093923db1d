#include "device/make_device.hpp"

#include "core/error.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cuda_plugin.hpp"
#include "device/null/null_device.hpp"
#include "device/virtual/virtual_device.hpp"

namespace feedtune {

std::unique_ptr<Device> make_device(const TrialSetup& setup, std::shared_ptr<Clock> clock, HostMemoryLeft left) {
  if (setup.device == "cpu") return make_cpu_device(std::move(clock), setup.step.model_threads, std::move(left));
  if (setup.device == "null") return make_null_device(std::move(clock), std::move(left));
  if (setup.device.starts_with("virtual:")) {
    if (!setup.profile) throw DeviceUnavailableError(setup.device, "no profile came with it");
    return make_virtual_device(*setup.profile, std::move(clock), std::move(left));
  }
  if (setup.device == "cuda") {
    const LoadedCudaPlugin& loaded = cuda_plugin();
    if (loaded.plugin == nullptr) throw DeviceUnavailableError("cuda", loaded.status.reason);
    return loaded.plugin->make(std::move(clock), std::make_shared<PageableAllocator>(std::move(left)));
  }
  throw DeviceUnavailableError(setup.device, "unknown device; known: cuda, cpu, null, virtual:NAME");
}

}  // namespace feedtune
