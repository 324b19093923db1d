#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>

namespace feedtune {

using Nanoseconds = std::chrono::nanoseconds;

/// Monotonic time since an unspecified origin. Safe from many threads.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Nanoseconds now() const = 0;
  /// Returns at or (a little) after `deadline`; at once when it has passed.
  virtual void sleep_until(Nanoseconds deadline) = 0;
  /// As sleep_until, burning the CPU, as a CUDA host wait does by default.
  virtual void spin_until(Nanoseconds deadline) = 0;
};

/// The machine's steady clock.
class SteadyClock final : public Clock {
 public:
  Nanoseconds now() const override {
    return std::chrono::duration_cast<Nanoseconds>(std::chrono::steady_clock::now().time_since_epoch());
  }
  void sleep_until(Nanoseconds deadline) override;
  void spin_until(Nanoseconds deadline) override;
};

/// Time that moves only when told to, or to a deadline that someone waits for. For tests and replay.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Nanoseconds start = Nanoseconds{0}) : now_(start.count()) {}
  Nanoseconds now() const override { return Nanoseconds{now_.load()}; }
  void sleep_until(Nanoseconds deadline) override { advance_to(deadline); }
  void spin_until(Nanoseconds deadline) override { advance_to(deadline); }
  void advance(Nanoseconds by) { now_ += by.count(); }
  void advance_to(Nanoseconds to);

 private:
  std::atomic<std::int64_t> now_;
};

/// Milliseconds as a double, for summaries.
constexpr double to_ms(Nanoseconds duration) { return static_cast<double>(duration.count()) * 1e-6; }
constexpr double to_s(Nanoseconds duration) { return static_cast<double>(duration.count()) * 1e-9; }

}  // namespace feedtune
