#pragma once
// The copy of pageable memory to the device, as CUDA's driver does it: through a small pinned ring, chunk by chunk, so
// that the host's memcpy and the link work at the same time.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "core/host_buffer.hpp"
#include "device/virtual/timeline.hpp"

namespace feedtune {

class PageableStaging {
 public:
  using Copy = std::function<void(std::byte* to, const std::byte* from, std::size_t bytes)>;
  using LinkTime = std::function<Nanoseconds(std::size_t bytes)>;

  static constexpr std::size_t chunk_bytes = std::size_t{512} << 10;
  static constexpr std::size_t chunks = 4;

  /// `copy` is std::memcpy but in tests. The ring is taken from `pinned` at the first use.
  explicit PageableStaging(std::shared_ptr<HostAllocator> pinned, Copy copy = {});

  /// Really copies `source` into the ring; the link takes each chunk while it is copied, from `start` (device time) on,
  /// so the whole takes the longer of the host's memcpy and the link, never their sum. The host waits for a free chunk
  /// and returns when the source may be reused. Returns the device time at which the last byte has arrived.
  Nanoseconds copy(Timeline& timeline, std::span<const std::byte> source, Nanoseconds start, const LinkTime& link);

 private:
  std::shared_ptr<HostAllocator> pinned_;
  Copy copy_;
  HostBuffer ring_;
};

}  // namespace feedtune
