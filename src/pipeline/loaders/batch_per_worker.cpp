// PyTorch's DataLoader: batch k is made wholly by worker k % W; W * prefetch batches may be started and not yet taken
// (PyTorch sends a worker its next index list when it hands a batch out); delivered in order. With pinned memory one
// pin thread copies each batch, in order, out of the workers' pageable one. Sources: torch/utils/data/dataloader.py
// (_try_put_index, _process_data), _utils/pin_memory.py, PyTorch 2.x.
//
// Memory: W * prefetch + 3 slots of the kind that is delivered, so 3 batches may be held while all tokens are out. With
// pinned memory the workers' pageable slots come on top: W at once, more (up to W * prefetch) only where batches pile
// up before the pin thread, as PyTorch's shared memory grows.

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>

#include "measure/profiler_range.hpp"
#include "pipeline/loaders/batch_slots.hpp"
#include "pipeline/loaders/loader_common.hpp"
#include "pipeline/loaders/worker_crew.hpp"

namespace feedtune {
namespace {

class BatchPerWorkerLoader final : public Loader {
 public:
  BatchPerWorkerLoader(const LoaderSetup& setup, LoaderParts parts)
      : setup_(setup), parts_(std::move(parts)), tokens_(setup.num_workers * setup.prefetch),
        delivered_(parts_.batch_memory, tokens_ + held_batches_max, batch_bytes(setup_, parts_), setup_.batch_size),
        held_(tokens_ + held_batches_max), turn_(static_cast<std::size_t>(setup.num_workers)),
        entries_(static_cast<std::size_t>(tokens_)), crew_(setup.num_workers) {
    const bool pins = parts_.batch_memory->kind() == HostMemory::pinned;
    if (pins) {
      staging_.emplace(parts_.pageable, tokens_, batch_bytes(setup_, parts_), setup_.batch_size);
    }
    const auto on_error = [this](std::exception_ptr error) { fail(std::move(error)); };
    try {
      crew_.start(
          parts_, [this](int k, ImagePreparer& preparer, WorkerTotals& totals) { work(k, preparer, totals); },
          on_error);
      if (pins)
        crew_.start_helper(
            "ft-pin", [this] { pin_batches(); }, on_error);
    } catch (...) {
      stop();
      throw;
    }
  }

  ~BatchPerWorkerLoader() override { stop(); }

  Batch next() override {
    held_.check_may_take();
    std::unique_lock lock(mutex_);
    deliverable_.wait(lock, [&] { return error_ || entry(taken_).state == State::deliverable; });
    if (error_) std::rethrow_exception(error_);
    const Entry taken = std::exchange(entry(taken_), Entry{});
    BatchSlot& slot = delivered_[taken.slot];
    Batch batch;
    batch.index = taken_++;
    batch.pixels = slot.pixels.bytes();
    batch.memory = slot.pixels.kind();
    batch.labels = slot.labels;
    batch.images = taken.images;
    batch.crosses_epoch = crosses_epoch(batch.index, setup_.batch_size, parts_.images_per_epoch);
    batch.pin = taken.pin;
    batch.slot = taken.slot;
    held_.take(batch.slot);
    ready_.fetch_sub(1, std::memory_order_relaxed);
    head_.set_finished(entry(taken_).state != State::empty, clock_.now());
    turn_of(batch.index + tokens_).notify_one();
    return batch;
  }

  void release(const Batch& batch) override {
    held_.release(batch.slot);
    const std::lock_guard lock(mutex_);
    const bool none_was_free = !delivered_.any_free();
    delivered_.release(batch.slot);
    if (!none_was_free) return;
    pin_turn_.notify_one();
    if (!staging_)
      for (std::condition_variable& turn : turn_) turn.notify_one();
  }

  WorkerSums totals() const override { return crew_.sums(); }
  int ready() const override { return ready_.load(std::memory_order_relaxed); }
  int capacity() const override { return tokens_; }
  std::uint64_t buffer_bytes() const override { return delivered_.bytes() + (staging_ ? staging_->bytes() : 0); }

 private:
  enum class State { empty, filled, deliverable };  ///< filled: waits for the pin thread
  struct Entry {
    State state = State::empty;
    int slot = -1;
    int images = 0;
    Nanoseconds pin{0};
  };

  /// Of a batch in [taken_, taken_ + tokens_).
  Entry& entry(std::int64_t batch) { return entries_[static_cast<std::size_t>(batch % tokens_)]; }
  std::condition_variable& turn_of(std::int64_t batch) {
    return turn_[static_cast<std::size_t>(batch % setup_.num_workers)];
  }
  BatchSlots& filled_slots() { return staging_ ? *staging_ : delivered_; }

  void work(int worker, ImagePreparer& preparer, WorkerTotals& totals) {
    // One image, not the list of a whole batch that PyTorch stacks: the copy is the same, the memory is not.
    const HostBuffer image = parts_.pageable->allocate(parts_.image_bytes);
    for (std::int64_t batch = worker;; batch += setup_.num_workers) {
      const std::optional<int> slot = wait_for_turn(batch, totals);
      if (!slot) return;
      filled_slots().ensure_memory(*slot);
      const std::optional<int> images = fill(batch, filled_slots()[*slot], image, preparer, totals);
      if (!images) return;
      finish(batch, *slot, *images);
    }
  }

  /// The slot to fill; none when the loader stops.
  std::optional<int> wait_for_turn(std::int64_t batch, WorkerTotals& totals) {
    std::unique_lock lock(mutex_);
    const auto may_start = [&] {
      return stop_.load(std::memory_order_relaxed) || (batch < taken_ + tokens_ && filled_slots().any_free());
    };
    if (!may_start()) {
      const WorkerWait wait(head_);
      turn_of(batch).wait(lock, may_start);
      wait.finish(totals);
    }
    if (stop_.load(std::memory_order_relaxed)) return std::nullopt;
    return filled_slots().acquire();
  }

  /// How many images have pixels; none when the loader stops.
  std::optional<int> fill(std::int64_t batch, BatchSlot& slot, const HostBuffer& image, ImagePreparer& preparer,
                          WorkerTotals& totals) {
    int images = 0;
    for (std::size_t i = 0; i < slot.labels.size(); ++i) {
      if (stop_.load(std::memory_order_relaxed)) return std::nullopt;
      const Sample sample = parts_.sample_at(batch * setup_.batch_size + static_cast<std::int64_t>(i));
      slot.labels[i] = parts_.label_of(sample.image);
      if (preparer.prepare(sample, image.bytes(), totals)) ++images;
      const ProfilerRange range("collate");
      const Nanoseconds begin = clock_.now();
      std::memcpy(slot.pixels.data() + i * parts_.image_bytes, image.data(), parts_.image_bytes);
      add_time(totals.collate, clock_.now() - begin);
    }
    return images;
  }

  void finish(std::int64_t batch, int slot, int images) {
    const std::lock_guard lock(mutex_);
    entry(batch) = {staging_ ? State::filled : State::deliverable, slot, images, Nanoseconds{0}};
    if (batch == taken_) head_.set_finished(true, clock_.now());
    if (staging_) {
      pin_turn_.notify_one();
    } else {
      ready_.fetch_add(1, std::memory_order_relaxed);
      if (batch == taken_) deliverable_.notify_one();
    }
  }

  void pin_batches() {
    for (std::int64_t batch = 0;; ++batch) {
      std::unique_lock lock(mutex_);
      const auto may_copy = [&] {
        return stop_.load(std::memory_order_relaxed) || (entry(batch).state == State::filled && delivered_.any_free());
      };
      pin_turn_.wait(lock, may_copy);
      if (stop_.load(std::memory_order_relaxed)) return;
      const int source = entry(batch).slot;
      const int target = delivered_.acquire();
      lock.unlock();
      Nanoseconds duration{0};
      {
        const ProfilerRange range("pin");
        const Nanoseconds begin = clock_.now();
        if (!copy((*staging_)[source], delivered_[target])) return;
        duration = clock_.now() - begin;
      }
      lock.lock();
      staging_->release(source);
      entry(batch) = {State::deliverable, target, entry(batch).images, duration};
      ready_.fetch_add(1, std::memory_order_relaxed);
      if (batch == taken_) deliverable_.notify_one();
    }
  }

  /// Image by image, so that stopping never waits for a whole batch. False when the loader stops.
  bool copy(const BatchSlot& source, BatchSlot& target) const {
    for (std::size_t offset = 0; offset < source.pixels.size(); offset += parts_.image_bytes) {
      if (stop_.load(std::memory_order_relaxed)) return false;
      std::memcpy(target.pixels.data() + offset, source.pixels.data() + offset, parts_.image_bytes);
    }
    target.labels = source.labels;
    return true;
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
    for (std::condition_variable& turn : turn_) turn.notify_one();
    pin_turn_.notify_one();
    deliverable_.notify_one();
  }

  void stop() {
    request_stop();
    crew_.join();
  }

  const LoaderSetup setup_;
  const LoaderParts parts_;
  const int tokens_;
  const SteadyClock clock_;
  BatchSlots delivered_;
  HeldSlots held_;
  std::optional<BatchSlots> staging_;  ///< only with pinned memory

  std::mutex mutex_;  ///< guards everything down to error_; taken a few times a batch, never per image
  std::vector<std::condition_variable> turn_;  ///< one per worker
  std::condition_variable pin_turn_;
  std::condition_variable deliverable_;
  std::vector<Entry> entries_;
  HeadClock head_;
  std::int64_t taken_ = 0;
  std::exception_ptr error_;

  std::atomic<bool> stop_{false};
  std::atomic<int> ready_{0};
  WorkerCrew crew_;
};

}  // namespace

std::unique_ptr<Loader> make_batch_per_worker(const LoaderSetup& setup, LoaderParts parts) {
  check_loader_setup(setup);
  if (setup.num_workers == 0) return make_inline_loader(setup, std::move(parts));
  return std::make_unique<BatchPerWorkerLoader>(setup, std::move(parts));
}

}  // namespace feedtune
