#pragma once
// Work of a known duration, for devices that only model time: how a user's own step times, and a measured step, become device
// time.

#include "device/device.hpp"

namespace feedtune {

class TimedWork {
 public:
  virtual ~TimedWork() = default;
  /// Queues one block of compute on a stream of this device: submitted, ordered and timed like one kernel.
  virtual void occupy(Stream& stream, Nanoseconds duration) = 0;
  /// Queues a part of a step as it was measured: it takes `duration`, in which its kernels' gaps are contained, while the host
  /// spends `host` on submitting it.
  virtual void replay(Stream& stream, Nanoseconds duration, Nanoseconds host) = 0;
};

/// Null for devices that compute (cpu, cuda). Lives as long as the device.
inline TimedWork* timed_work(Device& device) { return dynamic_cast<TimedWork*>(&device); }

}  // namespace feedtune
