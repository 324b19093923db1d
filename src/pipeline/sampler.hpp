#pragma once
#include <cstddef>
#include <cstdint>

#include "pipeline/sample.hpp"

namespace feedtune {

/// The endless sequence of training images: every epoch holds every image once, in an order of its own. The order is
/// computed, not stored (a keyed Feistel network over the image numbers; a number beyond the last image is walked on
/// until it falls inside), so it costs no memory at any data size. Safe from many threads.
class Sampler {
 public:
  /// Throws InputError where there is no image.
  Sampler(std::size_t images, std::uint64_t seed);

  /// `position` >= 0. Depends on the seed, the number of images and the position alone.
  Sample at(std::int64_t position) const;
  std::size_t images() const { return images_; }

 private:
  std::size_t shuffled(std::uint64_t key, std::size_t index) const;

  std::size_t images_;
  std::uint64_t seed_;
  int low_bits_;   ///< of the numbers that the network permutes: the smallest power of two that holds every image
  int high_bits_;
};

}  // namespace feedtune
