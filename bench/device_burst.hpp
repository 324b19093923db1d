#pragma once
// Device time of bursts of equal work: how the copies and the products are timed.

#include <chrono>
#include <functional>
#include <memory>

#include "device/device.hpp"

namespace feedtune {

/// Used by one thread, alone on its device.
class DeviceBurst {
 public:
  /// `work` queues one piece of it on the stream that it is given. The first pieces run here, untimed, for `warm_up`: time to
  /// reach the clocks, or the link the state, that it keeps under this load; times() is then chosen so that a burst is long against
  /// what one submission costs.
  DeviceBurst(Device& device, std::function<void(Stream&)> work, std::chrono::milliseconds warm_up);

  /// Seconds, by the device's events, of `times()` pieces of work that follow each other without a wait of the host's.
  double seconds() { return seconds_of(times_); }
  int times() const { return times_; }

 private:
  double seconds_of(int times);

  std::function<void(Stream&)> work_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Event> begin_, end_;
  int times_ = 1;
};

}  // namespace feedtune
