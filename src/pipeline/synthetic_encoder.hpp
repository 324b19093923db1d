#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/synthetic_picture.hpp"
#include "pipeline/synthetic_plan.hpp"

namespace feedtune {

/// libjpeg-turbo with fixed settings: accurate integer DCT, standard tables. One per thread.
class SyntheticEncoder {
 public:
  /// The JPEG of quality 70..97 whose size comes nearest to `target_bytes`, by at most 5 trials. Valid until the next
  /// call.
  std::span<const unsigned char> encode(const SyntheticPicture& picture, SyntheticKind kind, int target_bytes);
  int quality() const { return quality_; }

 private:
  std::size_t encode_at(const SyntheticPicture& picture, SyntheticKind kind, int quality);

  std::vector<unsigned char> trial_, best_, row_;
  int quality_ = 0;
};

}  // namespace feedtune
