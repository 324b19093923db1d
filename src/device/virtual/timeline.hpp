#pragma once
// The modelled device's time: which engine is busy until when. The device lives on this computed timeline, the host on
// the injected clock; both count from the clock's origin. Used by the training thread alone.

#include <array>
#include <memory>

#include "core/device_profile.hpp"
#include "measure/clock.hpp"

namespace feedtune {

/// Kernels run one at a time on `compute`, copies to the device on `copy`; the two overlap.
enum class Engine { compute, copy };

class Timeline {
 public:
  Timeline(std::shared_ptr<Clock> clock, HostWait host_wait, Nanoseconds launch)
      : clock_(std::move(clock)), host_wait_(host_wait), launch_(launch) {}

  Nanoseconds now() const { return clock_->now(); }
  /// The host pays for one submission, spinning: a CUDA launch is CPU time of the training thread, which the workers
  /// don't get. Returns when the device has the work.
  Nanoseconds submit();
  /// The host is busy, spinning, until then.
  void spend_until(Nanoseconds time) { clock_->spin_until(time); }
  /// Work that may start at `ready`: it starts when its engine is free too, in the order of the calls. Returns its end.
  Nanoseconds run(Engine engine, Nanoseconds ready, Nanoseconds duration);
  Nanoseconds free_at(Engine engine) const { return free_at_[static_cast<std::size_t>(engine)]; }
  void hold(Engine engine, Nanoseconds until);
  /// The host waits, spinning or sleeping, until the device's `time`. Returns how much later it came back; zero when
  /// there was nothing to wait for.
  Nanoseconds wait_until(Nanoseconds time);

 private:
  std::shared_ptr<Clock> clock_;
  HostWait host_wait_;
  Nanoseconds launch_;
  std::array<Nanoseconds, 2> free_at_{};
};

}  // namespace feedtune
