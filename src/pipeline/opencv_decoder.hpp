#pragma once
#include <memory>
#include <span>

#include "pipeline/decoder.hpp"
#include "pipeline/opencv_module.hpp"

namespace feedtune {

/// Whole images through the opencv module, cropped by pointer. One thread.
class OpencvPixels {
 public:
  /// Remembers the image; `encoded` must last until decode(). `size` is what its header says.
  void begin(std::span<const std::byte> encoded, ImageSize size);
  /// Throws ImageError: "needs the opencv module, ...", OpenCV's own words, or a size that isn't the header's.
  DecodedImage decode(const CropBox& crop);

 private:
  struct Destroy {
    void operator()(void* state) const { opencv_module().functions->destroy(state); }
  };
  std::unique_ptr<void, Destroy> state_;
  std::span<const std::byte> encoded_;
  ImageSize size_;
};

}  // namespace feedtune
