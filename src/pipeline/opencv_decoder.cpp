#include "pipeline/opencv_decoder.hpp"

#include <fmt/format.h>

#include <new>

#include "pipeline/image_error.hpp"

namespace feedtune {

void OpencvPixels::begin(std::span<const std::byte> encoded, ImageSize size) {
  encoded_ = encoded;
  size_ = size;
}

DecodedImage OpencvPixels::decode(const CropBox& crop) {
  const OpencvModule& module = opencv_module();
  if (module.functions == nullptr)
    throw ImageError(fmt::format("{} needs the opencv module, {}", to_text(image_format(encoded_)), module.missing));
  if (!state_) state_.reset(module.functions->create());
  if (!state_) throw std::bad_alloc();
  FeedtuneOpencvImage raw{};
  char message[256] = "";
  if (module.functions->decode(state_.get(), reinterpret_cast<const unsigned char*>(encoded_.data()), encoded_.size(),
                               &raw, message, sizeof message) != 0)
    throw ImageError(message);
  if (raw.width != size_.width || raw.height != size_.height)
    throw ImageError(fmt::format("OpenCV decodes {} x {} pixels, its header says {} x {}", raw.width, raw.height,
                                 size_.width, size_.height));
  DecodedImage image;
  image.row_bytes = raw.row_bytes;
  image.pixels =
      raw.pixels + static_cast<std::size_t>(crop.top) * raw.row_bytes + static_cast<std::size_t>(crop.left) * 3;
  image.width = crop.width;
  image.height = crop.height;
  return image;
}

}  // namespace feedtune
