#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace feedtune {

/// Calls a function again and again on a thread of its own, until destroyed.
class BackgroundSampler {
 public:
  /// Every `period` (at least 50 ms), or less often where one call takes so much CPU time that calling would cost more
  /// than 0.4 % of a CPU. `take` must not throw; the first call comes at once.
  BackgroundSampler(std::function<void()> take, std::chrono::milliseconds period);
  ~BackgroundSampler();
  BackgroundSampler(const BackgroundSampler&) = delete;
  BackgroundSampler& operator=(const BackgroundSampler&) = delete;

 private:
  void run();

  std::function<void()> take_;
  std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace feedtune
