#pragma once
// Device time of short pieces of work.

#include <functional>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "measure/clock.hpp"

namespace feedtune {

/// Used by one thread, alone on its device.
class Stopwatch {
 public:
  /// Takes three buffers of the device's memory for a kernel that only reads and writes, none of them twice (a second read of one would
  /// come from the cache): each a sixteenth of what there is, 256 MiB at most, less where a kernel over them would take more than a few
  /// milliseconds. Throws OutOfMemory{device}.
  Stopwatch(Device& device, Clock& clock);

  Stream& stream() { return *stream_; }
  Clock& clock() { return clock_; }
  Device& device() { return device_; }

  /// Device time of what `work` queues on stream(), in microseconds: it begins only when the host has queued it all (as far as
  /// `host_us`, the host's time for it, was guessed well), so that launches do not show. Work that holds the host until it is done
  /// (copies from pageable memory) has the host's part in its time, whatever came before it: ask for it with 0.
  double device_us(const std::function<void()>& work, double host_us);
  /// Waits until the device has nothing to do.
  void drain();

  /// Queues the streaming kernel so often that the device is busy for at least that long.
  void keep_busy(double us);
  /// Bytes that the streaming kernel moves, and its time.
  double streaming_bytes() const;
  double streaming_us() const { return streaming_us_; }
  void queue_streaming();
  /// A kernel over 256 values: all overhead.
  void queue_tiny();

 private:
  void grow();

  Device& device_;
  Clock& clock_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Event> begin_, end_;
  DeviceBuffer bias_;
  DeviceBuffer values_[3];  ///< two that are read, one that is written
  std::int64_t rows_ = 1;
  double streaming_us_ = 1;
};

}  // namespace feedtune
