#include "pipeline/decoder.hpp"
#include "pipeline/jpeg_reader.hpp"

namespace feedtune {
namespace {

class TurboScaledDecoder final : public Decoder {
 public:
  explicit TurboScaledDecoder(int side) : side_(side) {}

  ImageSize read_header(std::span<const std::byte> encoded) override { return reader_.read_header(encoded); }

  /// Halves, quarters and eighths have fast inverse transforms. The decoded crop stays at least twice the output's size:
  /// with fewer pixels the resize's filter is sampled too coarsely, and waves of three output pixels come out wrong.
  DecodedImage decode(const CropBox& crop) override {
    int eighths = 8;
    const std::int64_t least = std::int64_t{2} * side_ * 8;  // eighths of a pixel
    while (eighths > 1 && crop.width * std::int64_t{eighths / 2} >= least &&
           crop.height * std::int64_t{eighths / 2} >= least)
      eighths /= 2;
    return reader_.decode(crop, JpegReader::Extent::crop_only, eighths);
  }

 private:
  int side_;
  JpegReader reader_;
};

}  // namespace

DecoderEntry make_turbo_scaled() {
  return {.name = "turbo_scaled",
          .summary = "as turbo, but crops of four times the output's size and more are decoded at a half, a quarter or an eighth: "
                     "faster for large photographs, not the same pixels",
          .unavailable = [] { return std::string(); },
          .make = [](int side) { return std::make_unique<TurboScaledDecoder>(side); }};
}

}  // namespace feedtune
