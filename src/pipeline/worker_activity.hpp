#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "measure/clock.hpp"
#include "pipeline/image_list.hpp"

namespace feedtune {

enum class WorkerPhase : std::uint8_t { idle, read, decode, transform };
const char* to_text(WorkerPhase phase);

/// What one worker is doing. The worker writes, anyone reads; the three values may be of neighbouring moments.
struct WorkerActivity {
  std::atomic<WorkerPhase> phase{WorkerPhase::idle};
  std::atomic<std::int64_t> image{-1};
  std::atomic<std::int64_t> since{0};  ///< SteadyClock at which the image was begun, ns
  int worker = 0;

  void begin(std::size_t index, Nanoseconds now) {
    image.store(static_cast<std::int64_t>(index), std::memory_order_relaxed);
    since.store(now.count(), std::memory_order_relaxed);
    enter(WorkerPhase::read);
  }
  void enter(WorkerPhase next) { phase.store(next, std::memory_order_relaxed); }
};

/// The cells of all workers, so that a heartbeat can name the phase and the file of a hang. Safe from many threads.
class ActivityBoard {
 public:
  struct Line {
    int worker = 0;
    WorkerPhase phase = WorkerPhase::idle;
    std::string file;     ///< relative to the data folder
    Nanoseconds since{0}; ///< how long the worker has been at this image
  };

  /// The cell of worker `worker`, kept as long as the board.
  WorkerActivity& join(int worker);
  /// Of all workers that are not idle, the one that has been longest at its image first.
  std::vector<Line> busy(const ImageList& list) const;
  /// "worker 3: decode n01440764/x.jpg for 12.3 s", of the longest; "workers idle".
  std::string longest(const ImageList& list) const;

 private:
  mutable std::mutex mutex_;
  std::deque<WorkerActivity> cells_;
};

}  // namespace feedtune
