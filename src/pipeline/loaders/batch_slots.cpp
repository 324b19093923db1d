#include "pipeline/loaders/batch_slots.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace feedtune {

BatchSlots::BatchSlots(std::shared_ptr<HostAllocator> memory, int count, std::size_t pixel_bytes, int batch_size)
    : memory_(std::move(memory)), pixel_bytes_(pixel_bytes) {
  slots_.resize(static_cast<std::size_t>(count));
  for (BatchSlot& slot : slots_) slot.labels.resize(static_cast<std::size_t>(batch_size));
  free_.reserve(slots_.size());
  for (int slot = count - 1; slot >= 0; --slot) free_.push_back(slot);
  const int now = memory_->kind() == HostMemory::pinned ? count : std::min(count, 1);
  for (int slot = 0; slot < now; ++slot) ensure_memory(slot);
}

int BatchSlots::acquire() {
  assert(any_free());
  const int slot = free_.back();
  free_.pop_back();
  return slot;
}

void BatchSlots::ensure_memory(int slot) {
  HostBuffer& pixels = slots_[static_cast<std::size_t>(slot)].pixels;
  if (pixels) return;
  pixels = memory_->allocate(pixel_bytes_);
  bytes_.fetch_add(pixel_bytes_, std::memory_order_relaxed);
}

void HeldSlots::check_may_take() const {
  if (count_ > held_batches_max)
    throw std::logic_error(
        fmt::format("next() while {} batches are held, at most {} may be", count_, held_batches_max));
}

void HeldSlots::take(int slot) {
  held_[static_cast<std::size_t>(slot)] = true;
  ++count_;
}

void HeldSlots::release(int slot) {
  if (slot < 0 || static_cast<std::size_t>(slot) >= held_.size() || !held_[static_cast<std::size_t>(slot)])
    throw std::logic_error("a batch was released that is not held");
  held_[static_cast<std::size_t>(slot)] = false;
  --count_;
}

}  // namespace feedtune
