#include "device/virtual/virtual_stream.hpp"

#include <algorithm>

namespace feedtune {

void VirtualStream::compute(Nanoseconds duration) {
  const Nanoseconds ready = std::max(parts_->timeline.submit(), end_);
  end_ = parts_->timeline.run(Engine::compute, ready, duration);
}

void VirtualStream::copy_to_device(std::byte*, std::span<const std::byte> source, HostMemory kind) {
  const CostModel& costs = *parts_->costs;
  Timeline& timeline = parts_->timeline;
  const auto link = [&](std::size_t bytes) { return costs.link(static_cast<double>(bytes), kind); };
  const Nanoseconds ready = std::max(timeline.submit(), end_);
  if (kind == HostMemory::pinned || !costs.stages()) {
    end_ = timeline.run(Engine::copy, ready, costs.copy_latency() + link(source.size()));
    return;
  }
  const Nanoseconds start = std::max(ready, timeline.free_at(Engine::copy)) + costs.copy_latency();
  end_ = parts_->staging.copy(timeline, source, start, link);
  timeline.hold(Engine::copy, end_);
}

void VirtualStream::record(Event& event) {
  dynamic_cast<VirtualEvent&>(event).time_ = std::max(parts_->timeline.now(), end_);
}

void VirtualStream::wait(const Event& event) {
  if (const auto& time = dynamic_cast<const VirtualEvent&>(event).time_) end_ = std::max(end_, *time);
}

}  // namespace feedtune
