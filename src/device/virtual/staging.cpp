#include "device/virtual/staging.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace feedtune {

PageableStaging::PageableStaging(std::shared_ptr<HostAllocator> pinned, Copy copy)
    : pinned_(std::move(pinned)), copy_(std::move(copy)) {
  if (!copy_)
    copy_ = [](std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); };
}

Nanoseconds PageableStaging::copy(Timeline& timeline, std::span<const std::byte> source, Nanoseconds start,
                                  const LinkTime& link) {
  if (!ring_) ring_ = pinned_->allocate(chunk_bytes * chunks);
  std::array<Nanoseconds, chunks> arrived{};  // when the link has emptied each place of the ring
  Nanoseconds last = start;
  std::size_t sent = 0;
  for (std::size_t i = 0; sent < source.size(); ++i) {
    const std::size_t bytes = std::min(chunk_bytes, source.size() - sent);
    const std::size_t place = i % chunks;
    timeline.wait_until(arrived[place]);
    copy_(ring_.data() + place * chunk_bytes, source.data() + sent, bytes);
    sent += bytes;
    last = std::max(last + link(bytes), timeline.now());
    arrived[place] = last;
  }
  return last;
}

}  // namespace feedtune
