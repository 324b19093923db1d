#pragma once
#include <cstddef>
#include <cstdint>

namespace feedtune {

/// One place in the endless sequence of training images.
struct Sample {
  std::int64_t position = 0;  ///< 0, 1, 2, ...
  std::int64_t epoch = 0;     ///< position / images
  std::size_t image = 0;      ///< index into the image list
  std::uint64_t random = 0;   ///< seed of this image's crop and flip; depends on seed, epoch and image alone
};

}  // namespace feedtune
