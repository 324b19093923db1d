#pragma once
// A training device as three small interfaces: memory, streams and events, math. Backends: cpu/, virtual/, cuda/.
// One training thread uses a device at a time, unless a member says otherwise.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/enums.hpp"
#include "core/facts.hpp"
#include "core/gpu_use.hpp"
#include "core/host_buffer.hpp"
#include "device/math.hpp"
#include "measure/clock.hpp"

namespace feedtune {

/// Owns one block of device memory; gives it back when destroyed (its deleter keeps the pool alive).
class DeviceBuffer {
 public:
  using Deleter = std::function<void(std::byte* address, std::size_t bytes)>;
  DeviceBuffer() = default;
  DeviceBuffer(std::byte* address, std::size_t bytes, Deleter deleter)
      : address_(address), bytes_(bytes), deleter_(std::move(deleter)) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~DeviceBuffer() {
    if (bytes_ != 0 && deleter_) deleter_(address_, bytes_);
  }
  /// A device address: only the device may follow it (the virtual device's point nowhere).
  std::byte* address() const { return address_; }
  std::size_t size() const { return bytes_; }

 private:
  void swap(DeviceBuffer& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    std::swap(deleter_, other.deleter_);
  }
  std::byte* address_ = nullptr;
  std::size_t bytes_ = 0;
  Deleter deleter_;
};

class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  /// Throws OutOfMemory{device}. Sizes are rounded up to 256 bytes in the accounting.
  virtual DeviceBuffer allocate(std::size_t bytes) = 0;
  virtual std::uint64_t used_bytes() const = 0;
  virtual std::uint64_t peak_bytes() const = 0;
  /// 0: no limit of its own (cpu).
  virtual std::uint64_t limit_bytes() const = 0;
  /// What can still be had. Where other programs, or the driver itself, hold a part of the device, less than limit - used.
  virtual std::uint64_t available_bytes() const { return limit_bytes() - std::min(used_bytes(), limit_bytes()); }
  /// In use on the device by its driver's count, which holds what we don't count: other programs, the context, libraries' memory. Absent:
  /// there is no driver to ask.
  virtual std::optional<std::uint64_t> driver_bytes() const { return std::nullopt; }
  /// Where batch buffers come from. Safe from many threads.
  virtual std::shared_ptr<HostAllocator> host(HostMemory kind) = 0;
  /// Pins memory that somebody else allocated (whole pages, not pinned yet); counted by host(pinned). Throws
  /// TrialFailure{unsupported} with the bytes and the limit where that is refused. Safe from many threads.
  virtual PinnedRange pin(std::span<std::byte> memory) = 0;
};

/// Device bytes are accounted in units of this, in the device and in the model's planner alike.
constexpr std::size_t device_allocation_unit = 256;
constexpr std::size_t accounted_bytes(std::size_t bytes) {
  return (bytes + device_allocation_unit - 1) / device_allocation_unit * device_allocation_unit;
}

class Event;

/// A queue of device work in order. Submitting returns before the work is done, except where noted.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Copies `source.size()` bytes to the device. From pinned memory it returns at once and `source` must stay valid
  /// until an event recorded after it is done; from pageable memory it returns when the source may be reused
  /// (staged), as CUDA does.
  virtual void copy_to_device(std::byte* destination, std::span<const std::byte> source, HostMemory kind) = 0;
  virtual void record(Event& event) = 0;
  /// Later work of this stream waits for `event` on the device; the host does not.
  virtual void wait(const Event& event) = 0;
};

/// A point in a stream. time() is on the device's own timeline, comparable between events of one device.
class Event {
 public:
  virtual ~Event() = default;
  virtual bool done() const = 0;
  /// Blocks the host until done, spinning or sleeping as the device does. Returns how much later than the event's
  /// time the host came back, where the device can tell (virtual), else zero.
  virtual Nanoseconds synchronize() = 0;
  /// Only after done().
  virtual Nanoseconds time() const = 0;
};

/// The GPU's own counters, beside what our events say. Safe from one thread beside the training thread; never throws.
class GpuMonitor {
 public:
  virtual ~GpuMonitor() = default;
  virtual GpuSample sample() = 0;
  virtual GpuLimits limits() = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceFacts& facts() const = 0;
  virtual DeviceMemory& memory() = 0;
  virtual std::unique_ptr<Stream> create_stream() = 0;
  virtual std::unique_ptr<Event> create_event() = 0;
  virtual DeviceMath& math() = 0;
  /// Null: this device has no counters.
  virtual std::shared_ptr<GpuMonitor> monitor() { return nullptr; }
};

}  // namespace feedtune
