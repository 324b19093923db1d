#pragma once
#include <cstddef>
#include <memory>
#include <span>

namespace feedtune {

/// Uninitialised memory that is kept from image to image. Grows by half or more, so that a steady stream of images
/// allocates nothing; what one huge image needed is given back by the next small one, so that a single file doesn't
/// size every worker for the rest of the run.
class ScratchBuffer {
 public:
  /// `bytes` bytes whose old contents are gone. Valid until the next call.
  std::span<std::byte> take(std::size_t bytes) {
    if (bytes > capacity_ || (capacity_ > keep_bytes && bytes <= keep_bytes)) {
      const std::size_t wanted = bytes > keep_bytes ? bytes : bytes + bytes / 2;
      memory_.reset();
      capacity_ = 0;
      memory_ = std::make_unique_for_overwrite<std::byte[]>(wanted);
      capacity_ = wanted;
    }
    return {memory_.get(), bytes};
  }

  static constexpr std::size_t keep_bytes = std::size_t{64} << 20;

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace feedtune
