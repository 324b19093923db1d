#include "device/virtual/modelled_device.hpp"

namespace feedtune {
namespace {

std::shared_ptr<VirtualParts> make_parts(std::unique_ptr<CostModel> costs, HostWait host_wait,
                                         std::shared_ptr<Clock> clock, HostMemoryLeft left) {
  const Nanoseconds launch = costs->launch();
  // The staging ring has its own allocator, so that the device's pinned bytes are the loader's buffers alone.
  return std::make_shared<VirtualParts>(VirtualParts{std::move(costs), Timeline(std::move(clock), host_wait, launch),
                                                     PageableStaging(std::make_shared<LockedAllocator>(std::move(left)))});
}

}  // namespace

ModelledDevice::ModelledDevice(DeviceFacts facts, std::uint64_t limit_bytes, std::unique_ptr<CostModel> costs,
                               HostWait host_wait, std::shared_ptr<Clock> clock, HostMemoryLeft left)
    : facts_(std::move(facts)),
      memory_(limit_bytes, std::make_shared<PageableAllocator>(left), std::make_shared<LockedAllocator>(left)),
      parts_(make_parts(std::move(costs), host_wait, std::move(clock), std::move(left))),
      math_(parts_) {}

void ModelledDevice::occupy(Stream& stream, Nanoseconds duration) {
  dynamic_cast<VirtualStream&>(stream).compute(parts_->costs->block(duration));
}

void ModelledDevice::replay(Stream& stream, Nanoseconds duration, Nanoseconds host) {
  const Nanoseconds begin = parts_->timeline.now();
  // The device begins with the first kernel, while the host submits the others.
  dynamic_cast<VirtualStream&>(stream).compute(duration);
  parts_->timeline.spend_until(begin + host);
}

}  // namespace feedtune
