#pragma once
// What the loaders share: checks, epochs, the account of a worker's wait.

#include <cstdint>
#include <memory>

#include "pipeline/loader.hpp"
#include "pipeline/loaders/head_clock.hpp"

namespace feedtune {

/// Throws SpecError for a set-up that no loader can run (the axes' constraints let none through).
void check_loader_setup(const LoaderSetup& setup);

/// Bytes of one batch.
std::size_t batch_bytes(const LoaderSetup& setup, const LoaderParts& parts);

/// Whether batch `index` holds the last image of an epoch.
bool crosses_epoch(std::int64_t index, int batch_size, std::int64_t images_per_epoch);

/// Adds to one worker's counter. Only that worker writes it, so a plain load and store will do.
void add_time(WorkerTotals::Counter& counter, Nanoseconds duration);

/// Times one wait of a worker and splits it into blocked and starved. Made and finished under the loader's mutex.
class WorkerWait {
 public:
  explicit WorkerWait(const HeadClock& head);
  void finish(WorkerTotals& totals) const;

 private:
  const HeadClock& head_;
  Nanoseconds begin_;
  Nanoseconds head_begin_;
};

/// num_workers = 0: everything inside next(), on the training thread.
std::unique_ptr<Loader> make_inline_loader(const LoaderSetup& setup, LoaderParts parts);

}  // namespace feedtune
