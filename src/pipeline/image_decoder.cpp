#include "pipeline/image_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/opencv_decoder.hpp"
#include "pipeline/packed_format.hpp"

namespace feedtune {
namespace {

DecoderEntry entry_named(const std::string& name) {
  std::string names;
  for (DecoderEntry& entry : all_decoders()) {
    if (entry.name == name) return std::move(entry);
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  throw InputError("decoder", fmt::format("got \"{}\", want one of {}", name, names));
}

/// "starts with 48 65 6c 6c": what a user needs to see to know the file.
std::string first_bytes(std::span<const std::byte> encoded) {
  std::string text = "starts with";
  for (const std::byte byte : encoded.first(std::min<std::size_t>(encoded.size(), 8)))
    text += fmt::format(" {:02x}", static_cast<unsigned>(byte));
  return text;
}

class ImageDecoder final : public Decoder {
 public:
  explicit ImageDecoder(std::unique_ptr<Decoder> jpeg) : jpeg_(std::move(jpeg)) {}

  ImageSize read_header(std::span<const std::byte> encoded) override {
    format_ = image_format(encoded);
    switch (format_) {
      case ImageFormat::jpeg: return jpeg_->read_header(encoded);
      case ImageFormat::raw:
        raw_ = encoded;
        return raw_image_ = raw_size(encoded);
      case ImageFormat::png:
      case ImageFormat::webp: {
        const ImageSize size = format_ == ImageFormat::png ? png_size(encoded) : webp_size(encoded);
        other_.begin(encoded, size);
        return size;
      }
      case ImageFormat::unknown: throw ImageError(fmt::format("not an image ({})", first_bytes(encoded)));
      default: throw ImageError(fmt::format("unsupported: {}", to_text(format_)));
    }
  }

  DecodedImage decode(const CropBox& crop) override {
    if (format_ == ImageFormat::jpeg) return jpeg_->decode(crop);
    return format_ == ImageFormat::raw ? raw_crop(crop) : other_.decode(crop);
  }

 private:
  /// A raw record's pixels are used where they lie.
  DecodedImage raw_crop(const CropBox& crop) const {
    const std::size_t row_bytes = static_cast<std::size_t>(raw_image_.width) * 3;
    const auto* pixels = reinterpret_cast<const std::uint8_t*>(raw_.data()) + raw_header_bytes;
    return {.pixels = pixels + static_cast<std::size_t>(crop.top) * row_bytes + static_cast<std::size_t>(crop.left) * 3,
            .row_bytes = row_bytes,
            .width = crop.width,
            .height = crop.height};
  }

  std::unique_ptr<Decoder> jpeg_;
  OpencvPixels other_;
  std::span<const std::byte> raw_;
  ImageSize raw_image_;
  ImageFormat format_ = ImageFormat::jpeg;
};

}  // namespace

std::unique_ptr<Decoder> make_image_decoder(const std::string& name, int side) {
  return std::make_unique<ImageDecoder>(entry_named(name).make(side));
}

std::string decoder_unavailable(const std::string& name) { return entry_named(name).unavailable(); }

}  // namespace feedtune
