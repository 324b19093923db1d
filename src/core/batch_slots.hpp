#pragma once
#include <cstdint>

#include "core/enums.hpp"

namespace feedtune {

/// Batches that the training thread may hold while it asks for the next one.
inline constexpr std::int64_t batches_in_flight = 3;

/// Batch slots that a loader will hold: those being filled or waiting, and those in flight; with batch_per_worker and
/// pinned memory, a pageable slot a worker on top. Source: the loaders' own slot counts (pipeline/loaders).
constexpr std::int64_t planned_batch_slots(LoaderKind kind, std::int64_t num_workers, std::int64_t prefetch,
                                           std::int64_t ready_batches, HostMemory memory) {
  const bool pooled = kind == LoaderKind::pooled;
  std::int64_t slots = batches_in_flight + 1;
  if (num_workers > 0) slots = batches_in_flight + (pooled ? ready_batches : num_workers * prefetch);
  if (!pooled && memory == HostMemory::pinned) slots += num_workers > 0 ? num_workers : 1;
  return slots;
}

/// Images that pass before throughput can be told from the queue's fill: the fill, two steps in flight, then 3 batches a
/// worker (batch_per_worker) and at least 10. Source: the trial's own rule (trial/measured_window).
constexpr std::int64_t images_of_shortest_trial(LoaderKind kind, std::int64_t batch_size, std::int64_t num_workers, std::int64_t prefetch,
                                                std::int64_t ready_batches) {
  const bool whole_batches = kind == LoaderKind::batch_per_worker && num_workers > 0;
  std::int64_t fill = 1;
  if (num_workers > 0) fill = whole_batches ? num_workers * prefetch : ready_batches;
  const std::int64_t measured = whole_batches && 3 * num_workers > 10 ? 3 * num_workers : 10;
  return (fill + 2 + measured) * batch_size;
}

}  // namespace feedtune
