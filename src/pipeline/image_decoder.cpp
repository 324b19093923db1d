#include "pipeline/image_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/opencv_decoder.hpp"

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
    const ImageFormat format = image_format(encoded);
    is_jpeg_ = format == ImageFormat::jpeg;
    if (is_jpeg_) return jpeg_->read_header(encoded);
    if (format == ImageFormat::unknown)
      throw ImageError(fmt::format("not an image ({})", first_bytes(encoded)));
    if (format != ImageFormat::png && format != ImageFormat::webp)
      throw ImageError(fmt::format("unsupported: {}", to_text(format)));
    const ImageSize size = format == ImageFormat::png ? png_size(encoded) : webp_size(encoded);
    other_.begin(encoded, size);
    return size;
  }

  DecodedImage decode(const CropBox& crop) override { return is_jpeg_ ? jpeg_->decode(crop) : other_.decode(crop); }

 private:
  std::unique_ptr<Decoder> jpeg_;
  OpencvPixels other_;
  bool is_jpeg_ = true;
};

}  // namespace

std::unique_ptr<Decoder> make_image_decoder(const std::string& name, int side) {
  return std::make_unique<ImageDecoder>(entry_named(name).make(side));
}

std::string decoder_unavailable(const std::string& name) { return entry_named(name).unavailable(); }

}  // namespace feedtune
