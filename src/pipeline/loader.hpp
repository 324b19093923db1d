#pragma once
// Batches in order, from any number of workers. Implementations: loaders/batch_per_worker, loaders/pooled.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/host_buffer.hpp"
#include "core/trial_setup.hpp"
#include "measure/clock.hpp"
#include "pipeline/preparer.hpp"
#include "pipeline/sample.hpp"

namespace feedtune {

/// One delivered batch. Its memory stays untouched until it is released.
struct Batch {
  std::int64_t index = 0;                ///< 0, 1, 2, ... without gaps
  std::span<const std::byte> pixels;     ///< batch_size images, NCHW
  HostMemory memory = HostMemory::pageable;
  std::span<const std::int32_t> labels;  ///< batch_size
  int images = 0;                        ///< of them, how many have pixels (the others are zeroed)
  bool crosses_epoch = false;            ///< holds the last image of an epoch
  Nanoseconds pin{0};                    ///< time of the copy into pinned memory, where one was made
  int slot = 0;                          ///< the loader's own handle
};

class Loader {
 public:
  virtual ~Loader() = default;  ///< stops the workers within one image's time and joins them
  /// The next batch in order; blocks until it is complete. A worker's exception (a bug or out of memory) is rethrown
  /// here. Called by the training thread only.
  virtual Batch next() = 0;
  /// The batch's memory may be overwritten from now on. Any order; the training thread only.
  virtual void release(const Batch& batch) = 0;
  /// Sums over all workers since the start. Safe at any time.
  virtual WorkerSums totals() const = 0;
  /// Batches that are complete and not yet taken, and the most that there can be.
  virtual int ready() const = 0;
  virtual int capacity() const = 0;
  /// Bytes of all batch slots, pinned ones and others.
  virtual std::uint64_t buffer_bytes() const = 0;
};

/// What a loader needs besides its set-up. The references outlive the loader.
struct LoaderParts {
  std::function<Sample(std::int64_t position)> sample_at;       ///< safe from many threads
  std::function<std::int32_t(std::size_t image)> label_of;      ///< safe from many threads
  PreparerFactory make_preparer;
  std::function<void(int worker)> on_worker_start;              ///< affinity, naming; may be empty
  std::size_t image_bytes = 0;                                  ///< 3 * side * side * bytes per value
  std::int64_t images_per_epoch = 0;
  std::shared_ptr<HostAllocator> pageable;
  std::shared_ptr<HostAllocator> batch_memory;                  ///< of the kind the set-up asks for
};

std::unique_ptr<Loader> make_batch_per_worker(const LoaderSetup& setup, LoaderParts parts);
std::unique_ptr<Loader> make_pooled(const LoaderSetup& setup, LoaderParts parts);
/// By setup.kind. Throws TrialFailure{unsupported} for `external`, which only an adapter provides.
std::unique_ptr<Loader> make_loader(const LoaderSetup& setup, LoaderParts parts);

}  // namespace feedtune
