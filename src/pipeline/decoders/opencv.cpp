#include <fmt/format.h>

#include <algorithm>

#include "pipeline/decoder.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/jpeg_reader.hpp"
#include "pipeline/opencv_decoder.hpp"

namespace feedtune {
namespace {

/// OpenCV hands on none of libjpeg's warnings and leaves the missing part of a cut-off file as it was, so a file
/// without an end marker near its end counts as damaged.
bool ends_like_a_jpeg(std::span<const std::byte> encoded) {
  constexpr std::size_t tail_bytes = 4096;
  const auto tail = encoded.last(std::min(encoded.size(), tail_bytes));
  constexpr std::byte end_marker[] = {std::byte{0xff}, std::byte{0xd9}};
  return std::search(tail.begin(), tail.end(), std::begin(end_marker), std::end(end_marker)) != tail.end();
}

class OpencvJpegDecoder final : public Decoder {
 public:
  ImageSize read_header(std::span<const std::byte> encoded) override {
    complete_ = ends_like_a_jpeg(encoded);
    size_ = header_.read_header(encoded);
    pixels_.begin(encoded, size_);
    return size_;
  }

  DecodedImage decode(const CropBox& crop) override {
    DecodedImage image = pixels_.decode(crop);
    if (!complete_) image.warning = "no end-of-image marker";
    return image;
  }

 private:
  JpegReader header_;
  OpencvPixels pixels_;
  ImageSize size_;
  bool complete_ = true;
};

}  // namespace

DecoderEntry make_opencv() {
  return {.name = "opencv",
          .summary = "OpenCV's imdecode, the whole image first, one thread",
          .unavailable = [] { return std::string(opencv_module().missing); },
          .make = [](int) { return std::make_unique<OpencvJpegDecoder>(); }};
}

}  // namespace feedtune
