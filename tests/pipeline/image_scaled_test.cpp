// turbo_scaled: the model sees the same part of the picture, nearly the same pixels, and small crops untouched.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numbers>

#include <jpeglib.h>

#include "image_jpeg_fixture.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/transform.hpp"

namespace feedtune {
namespace {

constexpr int side = 32;

/// A JPEG without chroma subsampling, of almost no loss, from value(x, y, channel).
std::vector<std::byte> encode(int width, int height, const std::function<double(int, int, int)>& value) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 98, TRUE);
  info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
  jpeg_start_compress(&info, TRUE);
  std::vector<unsigned char> row(static_cast<std::size_t>(width) * 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c)
        row[static_cast<std::size_t>(3 * x + c)] = static_cast<unsigned char>(std::lround(value(x, y, c)));
    JSAMPROW rows[] = {row.data()};
    jpeg_write_scanlines(&info, rows, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const auto* begin = reinterpret_cast<const std::byte*>(bytes);
  std::vector<std::byte> encoded(begin, begin + size);
  std::free(bytes);
  return encoded;
}

std::vector<std::byte> shown(const char* decoder, std::span<const std::byte> encoded, const CropBox& crop) {
  const auto made = make_image_decoder(decoder, side);
  made->read_header(encoded);
  Transform transform({.side = side});
  std::vector<std::byte> output(transform.output_bytes());
  transform.apply(made->decode(crop), false, output);
  return output;
}

struct Difference {
  double mean = 0;
  int largest = 0;
};

Difference difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  Difference found;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int delta = std::abs(static_cast<int>(a[i]) - static_cast<int>(b[i]));
    found.mean += delta / static_cast<double>(a.size());
    found.largest = std::max(found.largest, delta);
  }
  return found;
}

// Waves of 100 pixels and 100 levels: shown a pixel aside, they differ by 4 levels on average. The largest differences are
// at the crop's border, where a decoded pixel lies half outside.
TEST(ImageScaled, TheCropStaysWhereItIs) {
  const auto encoded = encode(600, 500, [](int x, int y, int c) {
    return 128 + 100 * std::sin(2 * std::numbers::pi * (c == 0 ? x : c == 1 ? y : x + y) / 100.0);
  });
  RandomStream random(1);
  for (int i = 0; i < 40; ++i) {
    const int width = 4 * side + static_cast<int>(random.uniform() * (600 - 4 * side));
    const int height = 4 * side + static_cast<int>(random.uniform() * (500 - 4 * side));
    const CropBox crop{static_cast<int>(random.uniform() * (601 - width)),
                       static_cast<int>(random.uniform() * (501 - height)), width, height};
    const Difference off = difference(shown("turbo_scaled", encoded, crop), shown("turbo", encoded, crop));
    EXPECT_LT(off.mean, 1) << crop.left << "," << crop.top << " " << width << "x" << height;
    EXPECT_LE(off.largest, 10) << crop.left << "," << crop.top << " " << width << "x" << height;
  }
}

TEST(ImageScaled, CropsUnderFourTimesTheOutputAreTurbosToTheBit) {
  const auto encoded = test::make_jpeg({.width = 300, .height = 200});
  for (const CropBox& crop : {CropBox{3, 5, 127, 128}, {3, 5, 128, 127}, {0, 0, 40, 200}, {100, 0, 200, 63}, {7, 9, 1, 1}})
    EXPECT_EQ(shown("turbo_scaled", encoded, crop), shown("turbo", encoded, crop)) << crop.width << "x" << crop.height;
}

// Stated bound for pictures with edges and noise, in levels of 0..255, over every kind of file.
TEST(ImageScaled, EveryKindOfFileStaysNearTheExactPixels) {
  using Colour = test::JpegKind::Colour;
  for (const Colour colour : {Colour::ycc, Colour::grey, Colour::rgb, Colour::cmyk, Colour::ycck})
    for (const int sampling : {1, 2})
      for (const bool progressive : {false, true})
        for (const auto& [width, height] : {std::pair{601, 433}, {260, 700}, {197, 171}}) {
          if (sampling == 2 && colour != Colour::ycc && colour != Colour::ycck) continue;
          const auto encoded = test::make_jpeg({.width = width, .height = height, .colour = colour, .horizontal = sampling,
                                                .vertical = sampling, .progressive = progressive});
          for (const CropBox& crop : {CropBox{0, 0, width, height}, {1, 3, width - 4, height - 6}, {width - 131, height - 133, 128, 130}}) {
            const Difference off = difference(shown("turbo_scaled", encoded, crop), shown("turbo", encoded, crop));
            EXPECT_LT(off.mean, 3.0) << static_cast<int>(colour) << " " << sampling << " " << width << "x" << height << " crop " << crop.width;
          }
        }
}

}  // namespace
}  // namespace feedtune
