#include "pipeline/decoder.hpp"
#include "pipeline/jpeg_reader.hpp"

namespace feedtune {
namespace {

class TurboFullDecoder final : public Decoder {
 public:
  ImageSize read_header(std::span<const std::byte> encoded) override { return reader_.read_header(encoded); }
  DecodedImage decode(const CropBox& crop) override { return reader_.decode(crop, JpegReader::Extent::whole); }

 private:
  JpegReader reader_;
};

}  // namespace

DecoderEntry make_turbo_full() {
  return {.name = "turbo_full",
          .summary = "libjpeg-turbo, the whole image first, as torchvision does",
          .unavailable = [] { return std::string(); },
          .make = [](int) { return std::make_unique<TurboFullDecoder>(); }};
}

}  // namespace feedtune
