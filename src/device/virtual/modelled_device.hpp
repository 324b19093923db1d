#pragma once
// A device made of a cost model and a timeline; virtual:NAME and null differ in their costs alone.

#include <memory>

#include "device/device.hpp"
#include "device/host_allocators.hpp"
#include "device/timed_work.hpp"
#include "device/virtual/virtual_math.hpp"
#include "device/virtual/virtual_memory.hpp"

namespace feedtune {

class ModelledDevice final : public Device, public TimedWork {
 public:
  /// `limit_bytes` 0: device memory without a limit.
  ModelledDevice(DeviceFacts facts, std::uint64_t limit_bytes, std::unique_ptr<CostModel> costs, HostWait host_wait,
                 std::shared_ptr<Clock> clock, HostMemoryLeft left);

  const DeviceFacts& facts() const override { return facts_; }
  DeviceMemory& memory() override { return memory_; }
  std::unique_ptr<Stream> create_stream() override { return std::make_unique<VirtualStream>(parts_); }
  std::unique_ptr<Event> create_event() override { return std::make_unique<VirtualEvent>(parts_); }
  DeviceMath& math() override { return math_; }
  void occupy(Stream& stream, Nanoseconds duration) override;
  void replay(Stream& stream, Nanoseconds duration, Nanoseconds host) override;

 private:
  DeviceFacts facts_;
  VirtualMemory memory_;
  std::shared_ptr<VirtualParts> parts_;
  VirtualMath math_;
};

}  // namespace feedtune
