#pragma once
// Streams as threads, events as points in them.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "order.hpp"

namespace fake_cuda {

/// One recording of an event.
struct Mark {
  bool done = false;
  std::int64_t time_ns = 0;
  Moment moment;  ///< everything queued before it
};

/// An error that sticks, set by a kernel: every later call returns it.
int sticky_error();
void set_sticky_error(int error);

class Stream {
 public:
  Stream();
  /// Ends what is queued first.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Actor number() const { return number_; }
  /// Queues work; what the host has seen so far comes before it. Returns its moment.
  Moment queue(std::function<void()> work);
  std::shared_ptr<Mark> record();
  void wait(const std::shared_ptr<Mark>& mark);
  /// Waits for all that is queued, or until an error sticks.
  void synchronize();
  bool idle();

 private:
  void run();

  const Actor number_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool working_ = false;
  bool closing_ = false;
  Moment moment_;
  std::thread thread_;
};

class Event {
 public:
  void record(Stream& stream);
  std::shared_ptr<Mark> mark();

 private:
  std::mutex mutex_;
  std::shared_ptr<Mark> mark_;  ///< null before the first recording
};

bool done(const Mark& mark);
/// Blocks the host; what comes before the mark then comes before what the host does next.
void host_wait(const Mark& mark);
Moment host_moment();

/// Streams that were not destroyed.
std::int64_t living_streams();
std::vector<Stream*> all_streams();

}  // namespace fake_cuda
