#pragma once
// Where a step's time goes that the device does not spend computing.

#include <map>
#include <optional>
#include <string>

#include "core/trial.hpp"

namespace feedtune {

/// Shares of the step, 0 to 1, that add up to at most 1. All 0 where the trial recorded no steps.
struct Exposure {
  double step_ms = 0;       ///< mean; 0: not recorded
  double data = 0;          ///< the device waits and so does the training thread: for a batch
  double copy = 0;          ///< only the copy runs, or the device waits while the training thread (or a pin thread that is the limit) copies
  double other = 0;         ///< the device waits for neither: launches, late wake-ups
  double busy = 0;          ///< computing
  bool pin_is_limit = false;  ///< the pin thread is busy in nearly all of the step, so that waiting for data is waiting for it

  double waiting() const { return data + copy + other; }
};

Exposure exposure_of(const TrialResult& trial);

/// A phase's mean in ms; absent where it wasn't recorded or is no number.
std::optional<double> phase_mean(const TrialResult& trial, const std::string& phase);

/// What a worker does with an image, ms of wall time; each 0 where it wasn't recorded.
struct WorkerTimes {
  double open = 0, read = 0, decode = 0, decode_cpu = 0, transform = 0, collate = 0;
  double blocked = 0;  ///< waiting for a free slot: the queue is full
  double starved = 0;  ///< waiting for work

  double pixels() const { return decode + transform + collate; }
  double work() const { return open + read + pixels(); }
  /// Of the workers' time, 0 to 1: finished batches had no room.
  double blocked_share() const { return work() + blocked + starved > 0 ? blocked / (work() + blocked + starved) : 0; }
};

WorkerTimes worker_times(const TrialResult& trial);

/// CPUs that the trial's process used, in the mean of its window; absent where that wasn't counted.
std::optional<double> cpus_used(const TrialResult& trial);

}  // namespace feedtune
