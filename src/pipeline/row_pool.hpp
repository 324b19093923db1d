#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace feedtune {

/// Threads that split the rows of one image with the thread that owns the pool (the axis worker_threads). They sleep
/// between images, and take the owner's CPU affinity as it is when the pool is made.
class RowPool {
 public:
  /// `threads` >= 1, the owner included: 1 starts none. Throws TrialFailure{unsupported} where the system gives no
  /// more.
  explicit RowPool(int threads);
  ~RowPool();
  RowPool(const RowPool&) = delete;
  RowPool& operator=(const RowPool&) = delete;

  int threads() const { return threads_; }

  /// Calls task(begin, end, thread) for `threads()` nearly equal parts of [0, rows), each on its own thread (0 is the
  /// owner), and returns when all are done. The task must not throw. Called by the owner only.
  template <class Task>
  void run(int rows, Task&& task) {
    run_parts(
        rows,
        [](void* opaque, int begin, int end, int thread) {
          (*static_cast<std::remove_reference_t<Task>*>(opaque))(begin, end, thread);
        },
        const_cast<void*>(static_cast<const void*>(&task)));
  }

 private:
  using Call = void (*)(void* task, int begin, int end, int thread);
  void run_parts(int rows, Call call, void* task);
  void help(int thread);
  void stop();

  const int threads_;
  std::mutex mutex_;
  std::condition_variable begun_;
  std::condition_variable done_;
  std::uint64_t round_ = 0;
  int rows_ = 0;
  int running_ = 0;
  bool stopping_ = false;
  Call call_ = nullptr;
  void* task_ = nullptr;
  std::vector<std::thread> helpers_;
};

}  // namespace feedtune
