#pragma once
// Host memory whose kind matters: pageable, or pinned for a device's copy engine.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/enums.hpp"

namespace feedtune {

/// Owns one block of host memory. Moves, never copies; the deleter keeps its allocator alive.
class HostBuffer {
 public:
  using Deleter = std::function<void(void* data, std::size_t bytes)>;

  HostBuffer() = default;
  HostBuffer(void* data, std::size_t bytes, HostMemory kind, Deleter deleter)
      : data_(static_cast<std::byte*>(data)), bytes_(bytes), kind_(kind), deleter_(std::move(deleter)) {}
  HostBuffer(HostBuffer&& other) noexcept { swap(other); }
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    HostBuffer moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~HostBuffer() {
    if (data_ != nullptr && deleter_) deleter_(data_, bytes_);
  }

  std::span<std::byte> bytes() const { return {data_, bytes_}; }
  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  HostMemory kind() const { return kind_; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  void swap(HostBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(kind_, other.kind_);
    std::swap(deleter_, other.deleter_);
  }

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  HostMemory kind_ = HostMemory::pageable;
  Deleter deleter_;
};

/// Memory that its owner keeps and that the device copies from as pinned memory for as long as this lives, which is
/// shorter than the memory does. Null: there was nothing to do.
using PinnedRange = std::unique_ptr<std::byte, std::function<void(std::byte*)>>;

/// Gives out host memory of one kind. Safe from many threads. A loader takes its batch buffers from here, so that
/// core and pipeline know nothing of CUDA.
class HostAllocator {
 public:
  virtual ~HostAllocator() = default;
  virtual HostMemory kind() const = 0;
  /// 64-byte aligned (page-aligned from 4 KiB up), pre-faulted. Throws OutOfMemory{host} where memory is out, and
  /// TrialFailure{unsupported} with the bytes and the limit where pinning is refused; never hands out another kind.
  virtual HostBuffer allocate(std::size_t bytes) = 0;
  /// Bytes handed out and not yet returned, and how many of those the kernel holds locked.
  virtual std::uint64_t allocated_bytes() const = 0;
  virtual std::uint64_t locked_bytes() const = 0;
};

}  // namespace feedtune
