#pragma once
// Streams and events of a modelled device.

#include <memory>
#include <optional>

#include "device/device.hpp"
#include "device/virtual/cost_model.hpp"
#include "device/virtual/staging.hpp"
#include "device/virtual/timeline.hpp"

namespace feedtune {

/// What streams and events share with their device; lives as long as the last of them.
struct VirtualParts {
  std::unique_ptr<CostModel> costs;
  Timeline timeline;
  PageableStaging staging;
};

class VirtualEvent final : public Event {
 public:
  explicit VirtualEvent(std::shared_ptr<VirtualParts> parts) : parts_(std::move(parts)) {}
  /// True before the event is recorded, as CUDA has it.
  bool done() const override { return !time_ || parts_->timeline.now() >= *time_; }
  Nanoseconds synchronize() override { return time_ ? parts_->timeline.wait_until(*time_) : Nanoseconds{0}; }
  /// Throws std::bad_optional_access before the event is recorded: a bug of the caller.
  Nanoseconds time() const override { return time_.value(); }

 private:
  friend class VirtualStream;
  std::shared_ptr<VirtualParts> parts_;
  std::optional<Nanoseconds> time_;
};

class VirtualStream final : public Stream {
 public:
  explicit VirtualStream(std::shared_ptr<VirtualParts> parts) : parts_(std::move(parts)) {}
  void copy_to_device(std::byte* destination, std::span<const std::byte> source, HostMemory kind) override;
  void record(Event& event) override;
  void wait(const Event& event) override;
  /// Queues one kernel of that length.
  void compute(Nanoseconds duration);

 private:
  std::shared_ptr<VirtualParts> parts_;
  Nanoseconds end_{0};  ///< of all the work queued so far, and of the events waited for
};

}  // namespace feedtune
