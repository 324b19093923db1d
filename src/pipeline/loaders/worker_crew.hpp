#pragma once
// The threads of a loader: start, name, count, join.

#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/loader.hpp"

namespace feedtune {

/// Worker threads with their totals. The owner makes the bodies return (its own stop flag) before it calls join().
class WorkerCrew {
 public:
  using Body = std::function<void(int worker, ImagePreparer& preparer, WorkerTotals& totals)>;
  /// Called on the thread whose body threw.
  using OnError = std::function<void(std::exception_ptr error)>;

  explicit WorkerCrew(int workers);

  /// Starts one thread per worker, named ft-worker-K: calls on_worker_start, makes the preparer, runs the body.
  /// Throws TrialFailure{unsupported} when the system refuses a thread; join() is then still needed.
  void start(const LoaderParts& parts, const Body& body, const OnError& on_error);
  /// Starts one more thread (the pin thread).
  void start_helper(const std::string& name, std::function<void()> body, const OnError& on_error);
  void join();

  /// Totals of worker k; a crew without threads has one entry for the training thread.
  WorkerTotals& totals(int worker) { return totals_[static_cast<std::size_t>(worker)].totals; }
  WorkerSums sums() const;

 private:
  struct alignas(128) PaddedTotals {  // a worker's counters share no cache line with its neighbour's
    WorkerTotals totals;
  };

  void start_thread(const std::string& name, std::function<void()> body, const OnError& on_error);

  int workers_;
  std::vector<PaddedTotals> totals_;
  std::vector<std::thread> threads_;
};

}  // namespace feedtune
