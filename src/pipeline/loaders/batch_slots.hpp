#pragma once
// The batch memory of a loader: slots of pixels and labels, handed out and taken back by number.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/batch_slots.hpp"
#include "core/host_buffer.hpp"

namespace feedtune {

/// Batches that the training thread may still hold (copies and steps in flight) when it asks for the next one. Every
/// loader has this many slots more than it fills ahead, so that holding them never stalls a worker.
constexpr int held_batches_max = static_cast<int>(batches_in_flight);

struct BatchSlot {
  HostBuffer pixels;
  std::vector<std::int32_t> labels;
};

/// acquire() and release() are guarded by the loader's mutex. A slot's contents belong to whoever holds it.
class BatchSlots {
 public:
  /// Pinned memory is allocated here, all of it, since locking it takes long and may be refused; of pageable memory, only
  /// the first slot's, and ensure_memory() does the others as they are needed. Throws what the allocator throws.
  BatchSlots(std::shared_ptr<HostAllocator> memory, int count, std::size_t pixel_bytes, int batch_size);

  bool any_free() const { return !free_.empty(); }
  /// Of the free slots the one that was used last: its memory exists and is the likeliest to be in a cache.
  int acquire();
  void release(int slot) { free_.push_back(slot); }

  /// Allocates the slot's pixels if it has none yet. Only for who holds the slot; needs no lock.
  void ensure_memory(int slot);
  BatchSlot& operator[](int slot) { return slots_[static_cast<std::size_t>(slot)]; }
  /// Allocated so far. Safe from any thread.
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<HostAllocator> memory_;
  std::size_t pixel_bytes_;
  std::vector<BatchSlot> slots_;
  std::vector<int> free_;
  std::atomic<std::uint64_t> bytes_{0};
};

/// Which slots the training thread holds. Used by that thread only.
class HeldSlots {
 public:
  explicit HeldSlots(int slots) : held_(static_cast<std::size_t>(slots), false) {}
  /// Throws std::logic_error when more than held_batches_max are held: waiting for a slot would be forever.
  void check_may_take() const;
  void take(int slot);
  /// Throws std::logic_error when the slot is not held (released twice): its batch may be half overwritten by now.
  void release(int slot);

 private:
  std::vector<bool> held_;
  int count_ = 0;
};

}  // namespace feedtune
