// num_workers = 0. batch_per_worker stages each image and collates, and with pinned memory copies the batch, as PyTorch
// does on the training thread; pooled writes into the batch's final buffer.

#include <cstring>

#include "measure/profiler_range.hpp"
#include "pipeline/loaders/batch_slots.hpp"
#include "pipeline/loaders/loader_common.hpp"
#include "pipeline/loaders/worker_crew.hpp"

namespace feedtune {
namespace {

class InlineLoader final : public Loader {
 public:
  InlineLoader(const LoaderSetup& setup, LoaderParts parts)
      : setup_(setup), parts_(std::move(parts)), crew_(0),
        slots_(parts_.batch_memory, held_batches_max + 1, batch_bytes(setup_, parts_), setup_.batch_size),
        held_(held_batches_max + 1) {
    if (setup_.kind == LoaderKind::batch_per_worker) {
      image_ = parts_.pageable->allocate(parts_.image_bytes);
      if (parts_.batch_memory->kind() == HostMemory::pinned)
        staging_ = parts_.pageable->allocate(batch_bytes(setup_, parts_));
    }
    preparer_ = parts_.make_preparer(0);
  }

  Batch next() override {
    held_.check_may_take();
    const int number = slots_.acquire();
    BatchSlot& slot = slots_[number];
    Batch batch;
    try {
      slots_.ensure_memory(number);
      batch.images = fill(staging_ ? staging_.bytes() : slot.pixels.bytes(), slot.labels);
    } catch (...) {
      slots_.release(number);
      throw;
    }
    if (staging_) {
      const ProfilerRange range("pin");
      const Nanoseconds begin = clock_.now();
      std::memcpy(slot.pixels.data(), staging_.data(), staging_.size());
      batch.pin = clock_.now() - begin;
    }
    batch.index = taken_++;
    batch.pixels = slot.pixels.bytes();
    batch.memory = slot.pixels.kind();
    batch.labels = slot.labels;
    batch.crosses_epoch = crosses_epoch(batch.index, setup_.batch_size, parts_.images_per_epoch);
    batch.slot = number;
    held_.take(number);
    return batch;
  }

  void release(const Batch& batch) override {
    held_.release(batch.slot);
    slots_.release(batch.slot);
  }
  WorkerSums totals() const override { return crew_.sums(); }
  int ready() const override { return 0; }
  int capacity() const override { return 0; }
  std::uint64_t buffer_bytes() const override { return slots_.bytes() + staging_.size(); }

 private:
  int fill(std::span<std::byte> pixels, std::span<std::int32_t> labels) {
    int images = 0;
    WorkerTotals& totals = crew_.totals(0);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Sample sample = parts_.sample_at(taken_ * setup_.batch_size + static_cast<std::int64_t>(i));
      labels[i] = parts_.label_of(sample.image);
      const std::span<std::byte> place = pixels.subspan(i * parts_.image_bytes, parts_.image_bytes);
      if (preparer_->prepare(sample, image_ ? image_.bytes() : place, totals)) ++images;
      if (!image_) continue;
      const ProfilerRange range("collate");
      const Nanoseconds begin = clock_.now();
      std::memcpy(place.data(), image_.data(), place.size());
      add_time(totals.collate, clock_.now() - begin);
    }
    return images;
  }

  LoaderSetup setup_;
  LoaderParts parts_;
  SteadyClock clock_;
  WorkerCrew crew_;
  BatchSlots slots_;
  HeldSlots held_;
  HostBuffer image_;    ///< batch_per_worker: where an image is prepared before it is collated
  HostBuffer staging_;  ///< batch_per_worker with pinned memory: the pageable batch that is copied
  std::unique_ptr<ImagePreparer> preparer_;
  std::int64_t taken_ = 0;
};

}  // namespace

std::unique_ptr<Loader> make_inline_loader(const LoaderSetup& setup, LoaderParts parts) {
  return std::make_unique<InlineLoader>(setup, std::move(parts));
}

}  // namespace feedtune
