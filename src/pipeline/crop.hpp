#pragma once
#include <cstdint>

#include "pipeline/image_format.hpp"

namespace feedtune {

/// A rectangle of whole pixels inside an image.
struct CropBox {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  friend bool operator==(const CropBox&, const CropBox&) = default;
};

/// A stream of numbers from one seed, the same on every machine.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}
  /// In [0, 1), a multiple of 2^-53.
  double uniform();

 private:
  std::uint64_t state_;
};

/// torchvision's RandomResizedCrop.get_params with its defaults (scale 0.08 to 1 of the area, aspect ratio 3/4 to 4/3
/// evenly in its logarithm, ten tries, then the central crop), drawing in its order: area, ratio, top, left. Computed
/// in doubles with basic operations and square roots only, so equal on every IEEE machine; torchvision itself draws in
/// single precision. `uniform` is any source with uniform() in [0, 1).
template <class Uniforms>
CropBox random_resized_crop(ImageSize image, Uniforms& uniforms);

/// The flip and then the crop of one training image.
struct Augmentation {
  CropBox crop;
  bool flip = false;  ///< mirrored left to right, with probability 1/2
};
Augmentation augmentation(ImageSize image, std::uint64_t random);

namespace crop_details {
struct CropSize {
  int width = 0;
  int height = 0;
};
/// The size that two draws in [0, 1) ask for; may be larger than the image.
CropSize drawn_size(ImageSize image, double area_draw, double ratio_draw);
CropBox central_crop(ImageSize image);
/// 0 to `count` - 1.
int index_from(double draw, int count);
}  // namespace crop_details

template <class Uniforms>
CropBox random_resized_crop(ImageSize image, Uniforms& uniforms) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area_draw = uniforms.uniform();
    const double ratio_draw = uniforms.uniform();
    const auto [width, height] = crop_details::drawn_size(image, area_draw, ratio_draw);
    if (width <= 0 || width > image.width || height <= 0 || height > image.height) continue;
    const int top = crop_details::index_from(uniforms.uniform(), image.height - height + 1);
    const int left = crop_details::index_from(uniforms.uniform(), image.width - width + 1);
    return {left, top, width, height};
  }
  return crop_details::central_crop(image);
}

}  // namespace feedtune
