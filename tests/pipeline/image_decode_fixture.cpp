#include "image_decode_fixture.hpp"

#include <gtest/gtest.h>

#include "pipeline/image_decoder.hpp"
#include "pipeline/image_error.hpp"

namespace feedtune::test {

std::vector<std::uint8_t> pixels_of(const DecodedImage& image) {
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.pixels + static_cast<std::size_t>(y) * image.row_bytes;
    pixels.insert(pixels.end(), row, row + 3 * image.width);
  }
  return pixels;
}

std::vector<std::uint8_t> decode(Decoder& decoder, std::span<const std::byte> encoded, const CropBox& crop) {
  decoder.read_header(encoded);
  const DecodedImage image = decoder.decode(crop);
  EXPECT_EQ(image.warning, "");
  EXPECT_EQ(image.width, crop.width);
  EXPECT_EQ(image.height, crop.height);
  return pixels_of(image);
}

std::string failure_of(const std::string& decoder, std::span<const std::byte> encoded) {
  const auto made = make_image_decoder(decoder);
  try {
    const ImageSize size = made->read_header(encoded);
    made->decode({0, 0, size.width, size.height});
  } catch (const ImageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace feedtune::test
