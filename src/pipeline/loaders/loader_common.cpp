#include "pipeline/loaders/loader_common.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace feedtune {
namespace {

void check_at_least(const char* axis, int value, int minimum) {
  if (value < minimum) throw SpecError(axis, fmt::format("got {}, want an integer >= {}", value, minimum));
}

}  // namespace

void check_loader_setup(const LoaderSetup& setup) {
  check_at_least("batch_size", setup.batch_size, 1);
  check_at_least("num_workers", setup.num_workers, 0);
  if (setup.kind == LoaderKind::batch_per_worker) check_at_least("prefetch", setup.prefetch, 1);
  if (setup.kind == LoaderKind::pooled) check_at_least("ready_batches", setup.ready_batches, 1);
}

std::size_t batch_bytes(const LoaderSetup& setup, const LoaderParts& parts) {
  return static_cast<std::size_t>(setup.batch_size) * parts.image_bytes;
}

bool crosses_epoch(std::int64_t index, int batch_size, std::int64_t images_per_epoch) {
  return (index + 1) * batch_size / images_per_epoch > index * batch_size / images_per_epoch;
}

void add_time(WorkerTotals::Counter& counter, Nanoseconds duration) {
  counter.store(counter.load(std::memory_order_relaxed) + duration.count(), std::memory_order_relaxed);
}

WorkerWait::WorkerWait(const HeadClock& head)
    : head_(head), begin_(SteadyClock().now()), head_begin_(head.total(begin_)) {}

void WorkerWait::finish(WorkerTotals& totals) const {
  const Nanoseconds now = SteadyClock().now();
  const Nanoseconds blocked = head_.total(now) - head_begin_;
  add_time(totals.blocked, blocked);
  add_time(totals.starved, now - begin_ - blocked);
}

}  // namespace feedtune
