#pragma once
// feedtune-cuda.so: the cuda device, built where the CUDA Toolkit is found and loaded when it is first asked for, so that one
// program starts on machines with and without a GPU.

#include <memory>
#include <string>

#include "core/host_buffer.hpp"
#include "device/device.hpp"

namespace feedtune {

/// Why the cuda device can't be used here; `none`: it can.
enum class CudaAbsence { none, not_built, library_missing, damaged, other_build, no_driver, driver_too_old, no_device, failed };

struct CudaStatus {
  CudaAbsence absence = CudaAbsence::none;
  std::string reason;  ///< one line, with versions or with where it was looked for
  DeviceFacts facts;   ///< of the device that make() gives; empty where there is none
};

/// What the plugin hands over. Lives as long as the program: the plugin is never unloaded.
struct CudaPlugin {
  /// Asks the driver; takes nothing of the device. Never throws.
  CudaStatus (*status)();
  /// The first visible GPU. `pageable` serves HostMemory::pageable. Throws DeviceUnavailableError, or OutOfMemory{device} where
  /// not even its own scratch memory can be had. One device a process.
  std::unique_ptr<Device> (*make)(std::shared_ptr<Clock> clock, std::shared_ptr<HostAllocator> pageable);
};

/// The plugin's only symbol, `feedtune_cuda_entry`: null for a program of another build.
using FeedtuneCudaEntry = const CudaPlugin* (*)(const char* build_id);

/// Loads the plugin from beside the program, or from ../lib/feedtune, at the first call; `plugin` is null where that fails.
struct LoadedCudaPlugin {
  const CudaPlugin* plugin = nullptr;
  CudaStatus status;
};
const LoadedCudaPlugin& cuda_plugin();

/// Whether the cuda device can be used here. Starts CUDA in this process: call it in a process that may hang or end.
CudaStatus cuda_status();

}  // namespace feedtune
