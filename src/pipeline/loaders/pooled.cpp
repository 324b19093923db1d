// Workers take single images and write them straight into the batch's final buffer, so a straggler delays its own batch
// only and no image is copied.
//
// The rule: batch b may be opened (a slot given to it, its images taken) once b < taken + ready_batches and a slot is
// free. So at most ready_batches are filling or finished, and there are ready_batches + 3 slots: with up to 3 batches
// held by the training thread there is always a slot for the next one, also with ready_batches = 1. The worker that comes
// to a batch first opens it, and only then does a pageable slot get its memory: who takes batches as fast as they come
// needs about three slots, and the first batch does not wait for the memory of all.
//
// The files of images to come are asked for ahead, where they lie on a disk.
//
// Per image: one atomic add to take a place, one load to see that its batch is open, one atomic subtraction to say it
// is done. The mutex is taken only by who comes to a batch that isn't open, by who completes one, and by the training
// thread.

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "pipeline/loaders/batch_slots.hpp"
#include "pipeline/loaders/loader_common.hpp"
#include "pipeline/loaders/worker_crew.hpp"

namespace feedtune {
namespace {

class PooledLoader final : public Loader {
 public:
  PooledLoader(const LoaderSetup& setup, LoaderParts parts)
      : setup_(setup), parts_(std::move(parts)),
        slots_(parts_.batch_memory, setup.ready_batches + held_batches_max, batch_bytes(setup_, parts_), setup_.batch_size),
        held_(setup.ready_batches + held_batches_max), entries_(static_cast<std::size_t>(setup.ready_batches)),
        crew_(setup.num_workers) {
    try {
      crew_.start(
          parts_, [this](int, ImagePreparer& preparer, WorkerTotals& totals) { work(preparer, totals); },
          [this](std::exception_ptr error) { fail(std::move(error)); });
    } catch (...) {
      stop();
      throw;
    }
  }

  ~PooledLoader() override { stop(); }

  Batch next() override {
    held_.check_may_take();
    std::unique_lock lock(mutex_);
    complete_.wait(lock, [&] { return error_ || is_complete(taken_); });
    if (error_) std::rethrow_exception(error_);
    const Entry& entry = entry_of(taken_);
    BatchSlot& slot = slots_[entry.slot];
    Batch batch;
    batch.index = taken_++;
    batch.pixels = slot.pixels.bytes();
    batch.memory = slot.pixels.kind();
    batch.labels = slot.labels;
    batch.images = setup_.batch_size - entry.failed.load(std::memory_order_relaxed);
    batch.crosses_epoch = crosses_epoch(batch.index, setup_.batch_size, parts_.images_per_epoch);
    batch.slot = entry.slot;
    held_.take(batch.slot);
    ready_.fetch_sub(1, std::memory_order_relaxed);
    wake_who_may_open();
    head_.set_finished(is_complete(taken_), clock_.now());
    return batch;
  }

  void release(const Batch& batch) override {
    held_.release(batch.slot);
    const std::lock_guard lock(mutex_);
    slots_.release(batch.slot);
    wake_who_may_open();
  }

  WorkerSums totals() const override { return crew_.sums(); }
  int ready() const override { return std::max(0, ready_.load(std::memory_order_relaxed)); }
  int capacity() const override { return setup_.ready_batches; }
  std::uint64_t buffer_bytes() const override { return slots_.bytes(); }

 private:
  /// A batch that is open and not taken. Written under the mutex before `opened_` publishes it; the counters by
  /// workers.
  struct Entry {
    int slot = -1;
    std::atomic<int> missing{0};  ///< images not written yet
    std::atomic<int> failed{0};
  };

  /// Of a batch in [taken_, taken_ + ready_batches): its predecessor in the same place was taken before it was opened.
  Entry& entry_of(std::int64_t batch) { return entries_[static_cast<std::size_t>(batch % setup_.ready_batches)]; }

  bool is_complete(std::int64_t batch) {
    return is_open(batch) && entry_of(batch).missing.load(std::memory_order_acquire) == 0;
  }

  /// Under the mutex, as are the two below.
  bool may_open() const {
    return !opening_ && opened_.load(std::memory_order_relaxed) < taken_ + setup_.ready_batches && slots_.any_free();
  }

  void wake_who_may_open() {
    if (may_open()) opens_.notify_one();
  }

  /// Leaves the mutex to the others while a slot gets its memory, which counts as no phase: it happens once a slot. Throws
  /// what the allocator throws.
  void open_next(std::unique_lock<std::mutex>& lock) {
    const int slot = slots_.acquire();
    if (!slots_[slot].pixels) {
      opening_ = true;
      lock.unlock();
      slots_.ensure_memory(slot);
      lock.lock();
      opening_ = false;
    }
    const std::int64_t batch = opened_.load(std::memory_order_relaxed);
    Entry& entry = entry_of(batch);
    entry.slot = slot;
    entry.failed.store(0, std::memory_order_relaxed);
    entry.missing.store(setup_.batch_size, std::memory_order_relaxed);
    opened_.store(batch + 1, std::memory_order_release);
    opens_.notify_all();
  }

  void work(ImagePreparer& preparer, WorkerTotals& totals) {
    while (!stop_.load(std::memory_order_relaxed)) {
      const std::int64_t position = next_position_.fetch_add(1, std::memory_order_relaxed);
      const std::int64_t batch = position / setup_.batch_size;
      if (!is_open(batch) && !open(batch, totals)) return;
      Entry& entry = entry_of(batch);
      BatchSlot& slot = slots_[entry.slot];
      const auto place = static_cast<std::size_t>(position % setup_.batch_size);
      // What lies nearer is in other workers' hands already.
      preparer.expect(parts_.sample_at(position + setup_.num_workers + files_ahead));
      const Sample sample = parts_.sample_at(position);
      slot.labels[place] = parts_.label_of(sample.image);
      const auto pixels = slot.pixels.bytes().subspan(place * parts_.image_bytes, parts_.image_bytes);
      if (!preparer.prepare(sample, pixels, totals)) entry.failed.fetch_add(1, std::memory_order_relaxed);
      // Release: the pixels; acquire: the last one to finish hands over everybody's.
      if (entry.missing.fetch_sub(1, std::memory_order_acq_rel) == 1) complete(batch);
    }
  }

  bool is_open(std::int64_t batch) const { return batch < opened_.load(std::memory_order_acquire); }

  /// Opens batches up to this one, or waits until others have. False when the loader stops.
  bool open(std::int64_t batch, WorkerTotals& totals) {
    std::unique_lock lock(mutex_);
    const auto stopping = [&] { return stop_.load(std::memory_order_relaxed); };
    while (!stopping() && !is_open(batch)) {
      if (may_open()) {
        open_next(lock);
        continue;
      }
      const WorkerWait wait(head_);
      opens_.wait(lock, [&] { return stopping() || is_open(batch) || may_open(); });
      wait.finish(totals);
    }
    return !stopping();
  }

  void complete(std::int64_t batch) {
    const std::lock_guard lock(mutex_);
    ready_.fetch_add(1, std::memory_order_relaxed);
    if (batch != taken_) return;
    head_.set_finished(true, clock_.now());
    complete_.notify_one();
  }

  void fail(std::exception_ptr error) {
    {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::move(error);
    }
    request_stop();
  }

  void request_stop() {
    const std::lock_guard lock(mutex_);
    stop_.store(true, std::memory_order_relaxed);
    opens_.notify_all();
    complete_.notify_one();
  }

  void stop() {
    request_stop();
    crew_.join();
  }

  static constexpr int files_ahead = 16;

  const LoaderSetup setup_;
  const LoaderParts parts_;
  const SteadyClock clock_;
  BatchSlots slots_;
  HeldSlots held_;
  std::vector<Entry> entries_;

  std::mutex mutex_;  ///< guards everything down to error_
  std::condition_variable opens_;  ///< a batch was opened, or may be
  std::condition_variable complete_;
  HeadClock head_;
  std::int64_t taken_ = 0;
  bool opening_ = false;  ///< a worker is getting memory for the next batch
  std::exception_ptr error_;

  std::atomic<bool> stop_{false};
  std::atomic<int> ready_{0};            ///< for a moment one too low: a batch can be taken before its worker counts it
  std::atomic<std::int64_t> opened_{0};  ///< batches below this are open; written under the mutex
  alignas(64) std::atomic<std::int64_t> next_position_{0};
  WorkerCrew crew_;
};

}  // namespace

std::unique_ptr<Loader> make_pooled(const LoaderSetup& setup, LoaderParts parts) {
  check_loader_setup(setup);
  if (setup.num_workers == 0) return make_inline_loader(setup, std::move(parts));
  return std::make_unique<PooledLoader>(setup, std::move(parts));
}

}  // namespace feedtune
