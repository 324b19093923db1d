#pragma once
// Seam between what one image needs (read, decode, crop, resize, normalise) and how workers share the images out.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "pipeline/sample.hpp"

namespace feedtune {

/// Cumulative times and counts of one worker. One thread writes, any thread reads (relaxed: a snapshot may lag by an
/// image). Times in nanoseconds.
struct WorkerTotals {
  using Counter = std::atomic<std::int64_t>;
  Counter open{0}, read{0}, decode{0}, decode_cpu{0}, transform{0}, collate{0}, blocked{0}, starved{0};
  Counter images{0}, damaged{0}, failed{0}, bytes_read{0};
};

/// A plain copy of the sums over all workers.
struct WorkerSums {
  std::int64_t open = 0, read = 0, decode = 0, decode_cpu = 0, transform = 0, collate = 0, blocked = 0, starved = 0;
  std::int64_t images = 0, damaged = 0, failed = 0, bytes_read = 0;
};

/// Prepares images one at a time. Each worker owns one; not thread-safe.
class ImagePreparer {
 public:
  virtual ~ImagePreparer() = default;
  /// Writes one image (3 x side x side values of the input type, planar) to `destination` and adds its phases to
  /// `totals`. A file that cannot be read or decoded zeroes the slot, is counted and logged, and returns false.
  virtual bool prepare(const Sample& sample, std::span<std::byte> destination, WorkerTotals& totals) = 0;
  /// Somebody will prepare this image soon: reading it may begin.
  virtual void expect(const Sample& /*sample*/) {}
};

/// Makes worker k's preparer; called once per worker, on that worker's thread.
using PreparerFactory = std::function<std::unique_ptr<ImagePreparer>(int worker)>;

}  // namespace feedtune
