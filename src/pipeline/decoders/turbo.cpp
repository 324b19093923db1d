#include "pipeline/decoder.hpp"
#include "pipeline/jpeg_reader.hpp"

namespace feedtune {
namespace {

class TurboDecoder final : public Decoder {
 public:
  ImageSize read_header(std::span<const std::byte> encoded) override { return reader_.read_header(encoded); }
  DecodedImage decode(const CropBox& crop) override { return reader_.decode(crop, JpegReader::Extent::crop_only); }

 private:
  JpegReader reader_;
};

}  // namespace

DecoderEntry make_turbo() {
  return {.name = "turbo",
          .summary = "libjpeg-turbo with a Huffman decoder of our own, only the crop's rows and columns",
          .unavailable = [] { return std::string(); },
          .make = [](int) { return std::make_unique<TurboDecoder>(); }};
}

}  // namespace feedtune
