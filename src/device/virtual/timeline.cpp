#include "device/virtual/timeline.hpp"

#include <algorithm>

namespace feedtune {

Nanoseconds Timeline::submit() {
  if (launch_ > Nanoseconds{0}) clock_->spin_until(clock_->now() + launch_);
  return clock_->now();
}

Nanoseconds Timeline::run(Engine engine, Nanoseconds ready, Nanoseconds duration) {
  const Nanoseconds end = std::max(ready, free_at(engine)) + duration;
  hold(engine, end);
  return end;
}

void Timeline::hold(Engine engine, Nanoseconds until) {
  Nanoseconds& free = free_at_[static_cast<std::size_t>(engine)];
  free = std::max(free, until);
}

Nanoseconds Timeline::wait_until(Nanoseconds time) {
  if (clock_->now() >= time) return Nanoseconds{0};
  if (host_wait_ == HostWait::spin)
    clock_->spin_until(time);
  else
    clock_->sleep_until(time);
  return std::max(clock_->now() - time, Nanoseconds{0});
}

}  // namespace feedtune
