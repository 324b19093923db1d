#pragma once
// A modelled device with round figures, on a clock that moves only when the device makes it.

#include <memory>

#include "core/device_profile.hpp"
#include "device/device.hpp"
#include "device/timed_work.hpp"
#include "device/virtual/virtual_device.hpp"

namespace feedtune::testing {

constexpr Nanoseconds us(double microseconds) { return Nanoseconds{static_cast<std::int64_t>(microseconds * 1000 + 0.5)}; }

/// launch 5 us, gap 1 us, copy latency 10 us; pinned 10 and pageable 5 bytes/ns; memory 100 bytes/ns, 1e6 bytes of it;
/// fp16: 10e12 FLOP/s at half efficiency, so 5000 FLOPs a nanosecond.
inline DeviceProfile round_profile() {
  DeviceProfile profile;
  profile.name = "round";
  profile.title = "Round figures";
  profile.peak_tflops["fp16"].value = 10;
  profile.peak_tflops["fp32"].value = 2;
  profile.gemm_efficiency = {{.flops = 1e6, .share = 0.5}};
  profile.memory_gb.value = 0.001;
  profile.memory_bandwidth_gb_s.value = 100;
  profile.pinned_h2d_gb_s.emplace().value = 10;
  profile.pageable_h2d_gb_s.value = 5;
  profile.copy_latency_us.value = 10;
  profile.launch_us.value = 5;
  profile.kernel_gap_us.value = 1;
  return profile;
}

struct VirtualFixture {
  explicit VirtualFixture(const DeviceProfile& profile = round_profile()) : device(make_virtual_device(profile, clock)) {}

  void kernel(Stream& on, Nanoseconds duration) { timed_work(*device)->occupy(on, duration); }
  /// Device time at which the stream's work so far ends.
  Nanoseconds end_of(Stream& of) {
    const auto event = device->create_event();
    of.record(*event);
    return event->time();
  }

  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream = device->create_stream();
};

}  // namespace feedtune::testing
