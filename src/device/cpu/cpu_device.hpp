#pragma once
// The device `cpu`: oneDNN's GEMM and element-wise kernels on the host's own cores, which it shares with the loader's
// workers, as training on a CPU does.

#include <memory>
#include <string>

#include "device/device.hpp"
#include "device/host_allocators.hpp"

namespace feedtune {

/// `threads` >= 1 compute (OpenMP's, as oneDNN's; the setting of other threads of the program is left alone). Work is
/// done before a submitting call returns, so an event is a stamp of `clock` and is done once recorded. Inputs need no
/// copy (facts().copies is false): host memory may be handed to the step as it is; copy_to_device() is a memcpy.
/// fp32 only. Throws DeviceUnavailableError where the program was built without oneDNN.
///
/// Run it in a process started with cpu_device_environment: OpenMP's threads otherwise spin for milliseconds at the end
/// of every kernel, and where the loader's workers want the same cores, they wait for one that is not even running.
std::unique_ptr<Device> make_cpu_device(std::shared_ptr<Clock> clock, int threads, HostMemoryLeft left = {});

/// oneDNN's version, and the instruction set that it has chosen for this processor: "2.6.0 (avx512_core)". Empty where the
/// program was built without it.
std::string cpu_math_library();

/// NAME=VALUE, read by libgomp when a program is loaded, so that only the parent can set it. Measured with two threads on
/// two cores under a load average of 28: 10 to 13 ms an image of mixer-nano in place of 40 ms to 1.4 s.
inline constexpr const char* cpu_device_environment = "OMP_WAIT_POLICY=passive";

}  // namespace feedtune
