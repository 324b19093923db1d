#include "pipeline/loaders/worker_crew.hpp"

#include <pthread.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "measure/profiler_range.hpp"

namespace feedtune {

WorkerCrew::WorkerCrew(int workers) : workers_(workers), totals_(static_cast<std::size_t>(std::max(workers, 1))) {}

void WorkerCrew::start(const LoaderParts& parts, const Body& body, const OnError& on_error) {
  for (int worker = 0; worker < workers_; ++worker) {
    start_thread(
        fmt::format("ft-worker-{}", worker),
        [this, &parts, worker, body] {
          if (parts.on_worker_start) parts.on_worker_start(worker);
          const std::unique_ptr<ImagePreparer> preparer = parts.make_preparer(worker);
          body(worker, *preparer, totals(worker));
        },
        on_error);
  }
}

void WorkerCrew::start_helper(const std::string& name, std::function<void()> body, const OnError& on_error) {
  start_thread(name, std::move(body), on_error);
}

void WorkerCrew::start_thread(const std::string& name, std::function<void()> body, const OnError& on_error) {
  try {
    threads_.emplace_back([name, body = std::move(body), on_error] {
      pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());  // 15: the kernel's limit
      name_profiled_thread(name);
      try {
        body();
      } catch (...) {
        on_error(std::current_exception());
      }
    });
  } catch (const std::system_error& error) {
    throw TrialFailure(TrialStatus::unsupported,
                       fmt::format("cannot start thread {} of {} workers: {}", name, workers_, error.code().message()));
  }
}

void WorkerCrew::join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

WorkerSums WorkerCrew::sums() const {
  WorkerSums sums;
  const auto value = [](const WorkerTotals::Counter& counter) { return counter.load(std::memory_order_relaxed); };
  for (const PaddedTotals& padded : totals_) {
    const WorkerTotals& t = padded.totals;
    sums.open += value(t.open);
    sums.read += value(t.read);
    sums.decode += value(t.decode);
    sums.decode_cpu += value(t.decode_cpu);
    sums.transform += value(t.transform);
    sums.collate += value(t.collate);
    sums.blocked += value(t.blocked);
    sums.starved += value(t.starved);
    sums.images += value(t.images);
    sums.damaged += value(t.damaged);
    sums.failed += value(t.failed);
    sums.bytes_read += value(t.bytes_read);
  }
  return sums;
}

}  // namespace feedtune
