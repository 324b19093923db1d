#include "measure/clock.hpp"

#include <thread>

namespace feedtune {

void SteadyClock::sleep_until(Nanoseconds deadline) {
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(deadline)));
}

void SteadyClock::spin_until(Nanoseconds deadline) {
  while (now() < deadline) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

void ManualClock::advance_to(Nanoseconds to) {
  std::int64_t current = now_.load();
  while (current < to.count() && !now_.compare_exchange_weak(current, to.count())) {
  }
}

}  // namespace feedtune
