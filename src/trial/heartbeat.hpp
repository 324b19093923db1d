#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "trial/run_trial.hpp"

namespace feedtune {

/// Tells, four times a second, what a trial is doing: also when the trial's own thread is stuck.
class Heartbeat {
 public:
  Heartbeat(const OnHeartbeat& on_heartbeat, Clock& clock);
  ~Heartbeat();

  void phase(const char* name) { phase_ = name; }  ///< a literal
  void images_per_s(double value) { images_per_s_ = value; }
  /// Says what the workers do (ChildProgress::doing); called from the heartbeat's thread. Empty before what it looks at ends.
  void doing(std::function<std::string()> doing);

 private:
  void run();

  const OnHeartbeat& on_heartbeat_;
  Clock& clock_;
  Nanoseconds started_;
  std::atomic<const char*> phase_{"starting"};
  std::atomic<double> images_per_s_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  std::function<std::string()> doing_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace feedtune
