#pragma once
#include <functional>

#include "core/device_rates.hpp"
#include "device/device.hpp"
#include "measure/clock.hpp"
#include "measure/thread_cpu_time.hpp"

namespace feedtune {

/// CPU time of the calling thread.
using ThreadCpuTime = std::function<Nanoseconds()>;

/// Measures the device that `request` names; it has to be idle otherwise. After half a second of load (a tenth of the time at most) come three rounds over all figures: kernels and
/// GEMMs, copies of 64 KiB to 256 MiB from both kinds of host memory, the submission of each step. Sizes that do not fit, or would take
/// too much of the time, are left out and noted. Throws what the device throws where nothing can be measured at all.
DeviceRates measure_rates(Device& device, Clock& clock, const RatesRequest& request, const ThreadCpuTime& cpu_time = thread_cpu_time);

/// Bytes of the copy that no fit may see.
inline constexpr double held_out_copy_bytes = 32.0 * (1 << 20);

}  // namespace feedtune
