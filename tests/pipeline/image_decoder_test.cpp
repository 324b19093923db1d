// Decoding: the fast partial decoder shows the model the same pixels as a whole decode, and bad files cost a reason,
// never the run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/error.hpp"
#include "image_jpeg_fixture.hpp"
#include "pipeline/decoder.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/jpeg_reader.hpp"
#include "pipeline/opencv_module.hpp"

namespace feedtune {
namespace {

using test::JpegKind;
using Colour = JpegKind::Colour;

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

/// Corners, edges, single pixels, strips, the whole image, and random boxes.
std::vector<CropBox> boxes(int width, int height, std::uint64_t seed) {
  std::vector<CropBox> all = {{0, 0, width, height},
                              {0, 0, 1, 1},
                              {width - 1, 0, 1, 1},
                              {0, height - 1, 1, 1},
                              {width - 1, height - 1, 1, 1},
                              {width / 2, height / 2, 1, 1},
                              {0, height / 2, width, 1},
                              {width / 2, 0, 1, height}};
  RandomStream random(seed);
  for (int i = 0; i < 12; ++i) {
    const int w = 1 + static_cast<int>(random.uniform() * width);
    const int h = 1 + static_cast<int>(random.uniform() * height);
    all.push_back({static_cast<int>(random.uniform() * (width - w + 1)),
                   static_cast<int>(random.uniform() * (height - h + 1)), w, h});
  }
  return all;
}

std::string describe(const JpegKind& kind, const CropBox& box) {
  return "image " + std::to_string(kind.width) + "x" + std::to_string(kind.height) + " sampling " +
         std::to_string(kind.horizontal) + "x" + std::to_string(kind.vertical) + " colour " +
         std::to_string(static_cast<int>(kind.colour)) + (kind.progressive ? " progressive" : "") + " restart " +
         std::to_string(kind.restart_rows) + ", crop " + std::to_string(box.left) + "," + std::to_string(box.top) +
         " " + std::to_string(box.width) + "x" + std::to_string(box.height);
}

int compare_all_boxes(const JpegKind& kind, Decoder& part, Decoder& whole) {
  const auto encoded = test::make_jpeg(kind);
  const auto expected = decode(whole, encoded, {0, 0, kind.width, kind.height});
  int compared = 0;
  for (const CropBox& box :
       boxes(kind.width, kind.height, static_cast<std::uint64_t>(kind.width * 1000 + kind.height))) {
    const auto got = decode(part, encoded, box);
    for (int y = 0; y < box.height; ++y) {
      const auto* row =
          expected.data() + (static_cast<std::size_t>(box.top + y) * static_cast<std::size_t>(kind.width) +
                             static_cast<std::size_t>(box.left)) *
                                3;
      if (std::memcmp(row, got.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(box.width) * 3,
                      static_cast<std::size_t>(box.width) * 3) != 0) {
        ADD_FAILURE() << describe(kind, box) << ": row " << y << " differs";
        break;
      }
    }
    ++compared;
  }
  return compared;
}

TEST(ImageDecoder, PartialDecodeGivesTheWholeDecodesPixels) {
  const auto part = make_image_decoder("turbo");
  const auto whole = make_image_decoder("turbo_full");
  const int samplings[][2] = {{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}, {3, 1}};
  const int sizes[][2] = {{1, 1}, {7, 9}, {16, 16}, {17, 33}, {64, 48}, {100, 75}, {131, 97}, {333, 250}};
  int compared = 0;
  for (const auto& [h, v] : samplings)
    for (const auto& [width, height] : sizes)
      for (const bool progressive : {false, true})
        compared += compare_all_boxes({.width = width, .height = height, .horizontal = h, .vertical = v,
                                       .progressive = progressive}, *part, *whole);
  EXPECT_EQ(compared, 9 * 8 * 2 * 20);
}

TEST(ImageDecoder, PartialDecodeHoldsForEveryColourAndForRestartMarkers) {
  const auto part = make_image_decoder("turbo");
  const auto whole = make_image_decoder("turbo_full");
  for (const Colour colour : {Colour::grey, Colour::rgb, Colour::cmyk, Colour::ycck})
    for (const int restart : {0, 1, 3}) {
      const int factor = colour == Colour::ycck ? 2 : 1;
      compare_all_boxes({.width = 150, .height = 113, .colour = colour, .horizontal = factor, .vertical = factor,
                         .restart_rows = restart}, *part, *whole);
    }
  for (const int restart : {1, 2, 5})
    compare_all_boxes({.width = 201, .height = 155, .restart_rows = restart}, *part, *whole);
}

TEST(ImageDecoder, GreyIsTheSameInAllThreeChannels) {
  const auto decoder = make_image_decoder("turbo");
  const auto encoded =
      test::make_jpeg({.width = 40, .height = 30, .colour = Colour::grey, .horizontal = 1, .vertical = 1});
  const auto pixels = decode(*decoder, encoded, {0, 0, 40, 30});
  int distinct = 0;
  for (std::size_t i = 0; i < pixels.size(); i += 3) {
    ASSERT_EQ(pixels[i], pixels[i + 1]);
    ASSERT_EQ(pixels[i], pixels[i + 2]);
    distinct += pixels[i] != pixels[0];
  }
  EXPECT_GT(distinct, 500);
}

// Inverted CMYK at full light must come out white, and without black ink (255 is none) the channels are the inks'
// light.
TEST(ImageDecoder, CmykIsReadAsInvertedWithAndWithoutTheAdobeMarker) {
  const auto decoder = make_image_decoder("turbo_full");
  const JpegKind kind{
      .width = 48, .height = 32, .colour = Colour::cmyk, .horizontal = 1, .vertical = 1, .quality = 100};
  JpegKind without = kind;
  without.adobe_marker = false;
  const auto marked = decode(*decoder, test::make_jpeg(kind), {0, 0, 48, 32});
  const auto unmarked = decode(*decoder, test::make_jpeg(without), {0, 0, 48, 32});
  EXPECT_EQ(marked, unmarked);
}

TEST(ImageDecoder, ReusedDecoderForgetsTheImageBefore) {
  const auto decoder = make_image_decoder("turbo");
  const auto fresh = make_image_decoder("turbo");
  const auto large = test::make_jpeg({.width = 300, .height = 200, .progressive = true});
  const auto small = test::make_jpeg({.width = 33, .height = 21, .horizontal = 1, .vertical = 1});
  auto cut = large;
  cut.resize(cut.size() / 3);
  for (const auto& encoded : {large, cut, small, large}) {
    decoder->read_header(encoded);
    decoder->decode({3, 2, 20, 15});
  }
  EXPECT_EQ(decode(*decoder, small, {1, 1, 30, 19}), decode(*fresh, small, {1, 1, 30, 19}));
}

TEST(ImageDecoder, CutOffFilesAreDamagedOrFailWithLibjpegsWords) {
  for (const char* name : {"turbo", "turbo_full"}) {
    const auto decoder = make_image_decoder(name);
    for (const bool progressive : {false, true}) {
      const auto whole = test::make_jpeg({.width = 160, .height = 120, .progressive = progressive});
      int damaged = 0;
      int failed = 0;
      for (int tenth = 0; tenth < 10; ++tenth) {
        const std::span<const std::byte> cut(whole.data(), whole.size() * static_cast<std::size_t>(tenth) / 10);
        try {
          const ImageSize size = decoder->read_header(cut);
          const DecodedImage image = decoder->decode({0, 0, size.width, size.height});
          EXPECT_NE(image.warning, "") << name << " took " << tenth << " tenths of a file for a whole one";
          ++damaged;
        } catch (const ImageError& error) {
          EXPECT_STRNE(error.what(), "");
          ++failed;
        }
      }
      EXPECT_GE(damaged, 7) << name;
      EXPECT_GE(failed, 1) << name;
    }
  }
}

TEST(ImageDecoder, RandomDamageNeverCrashes) {
  const auto part = make_image_decoder("turbo");
  const auto whole = make_image_decoder("turbo_full");
  RandomStream random(77);
  for (int round = 0; round < 400; ++round) {
    auto bytes = test::make_jpeg({.width = 90, .height = 70, .horizontal = 1 + round % 2, .vertical = 1 + round % 3 / 2,
                                  .progressive = round % 4 == 0, .restart_rows = round % 3});
    const int hits = 1 + static_cast<int>(random.uniform() * 12);
    for (int i = 0; i < hits; ++i)
      bytes[static_cast<std::size_t>(random.uniform() * static_cast<double>(bytes.size()))] =
          static_cast<std::byte>(random.uniform() * 256);
    for (Decoder* decoder : {part.get(), whole.get()}) {
      try {
        const ImageSize size = decoder->read_header(bytes);
        const Augmentation chosen = augmentation(size, static_cast<std::uint64_t>(round));
        const DecodedImage image = decoder->decode(chosen.crop);
        ASSERT_EQ(image.width, chosen.crop.width);
        const auto pixels = pixels_of(image);  // every byte may be read
        ASSERT_EQ(pixels.size(),
                  static_cast<std::size_t>(chosen.crop.width) * static_cast<std::size_t>(chosen.crop.height) * 3);
      } catch (const ImageError&) {
      }
    }
  }
}

/// Overwrites the frame header's height and width.
void claim_size(std::vector<std::byte>& jpeg, int width, int height) {
  for (std::size_t i = 2; i + 9 < jpeg.size(); ++i) {
    const bool frame = jpeg[i] == std::byte{0xff} && (jpeg[i + 1] == std::byte{0xc0} || jpeg[i + 1] == std::byte{0xc2});
    if (!frame) continue;
    jpeg[i + 5] = static_cast<std::byte>(height >> 8);
    jpeg[i + 6] = static_cast<std::byte>(height & 255);
    jpeg[i + 7] = static_cast<std::byte>(width >> 8);
    jpeg[i + 8] = static_cast<std::byte>(width & 255);
    return;
  }
  FAIL() << "no frame header";
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

TEST(ImageDecoder, HeaderThatClaimsAHugeImageIsRefusedBeforeAnythingIsAllocated) {
  for (const bool progressive : {false, true}) {
    auto bytes = test::make_jpeg({.width = 64, .height = 64, .progressive = progressive});
    claim_size(bytes, 65'500, 65'500);
    const std::string reason = failure_of("turbo", bytes);
    EXPECT_NE(reason.find("65500 x 65500 pixels, over the limit of 178956970"), std::string::npos) << reason;
    claim_size(bytes, 65'535, 10);
    EXPECT_NE(failure_of("turbo_full", bytes).find("65500"), std::string::npos);
  }
}

TEST(ImageDecoder, EndlessScansAreCutShort) {
  // A progressive file whose last scan is repeated 150 times.
  auto bytes = test::make_jpeg({.width = 32, .height = 32, .progressive = true});
  std::size_t last_scan = 0;
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i)
    if (bytes[i] == std::byte{0xff} && bytes[i + 1] == std::byte{0xda}) last_scan = i;
  ASSERT_GT(last_scan, 0u);
  const std::vector<std::byte> scan(bytes.begin() + static_cast<std::ptrdiff_t>(last_scan), bytes.end() - 2);
  bytes.resize(bytes.size() - 2);
  for (int i = 0; i < 150; ++i) bytes.insert(bytes.end(), scan.begin(), scan.end());
  bytes.push_back(std::byte{0xff});
  bytes.push_back(std::byte{0xd9});
  EXPECT_EQ(failure_of("turbo", bytes), "more than 100 scans");
}

TEST(ImageDecoder, OtherFormatsFailByName) {
  using namespace std::string_literals;
  EXPECT_EQ(failure_of("turbo", test::bytes_of("GIF89a........")), "unsupported: gif");
  EXPECT_EQ(failure_of("turbo", test::bytes_of("\0\0\0\x1c" "ftypavif...."s)), "unsupported: avif");
  EXPECT_EQ(failure_of("turbo", test::bytes_of("\0\0\0\x1c" "ftypheic...."s)), "unsupported: heic");
  EXPECT_EQ(failure_of("turbo", test::bytes_of("\x1f\x8b........"s)), "unsupported: gzip");
  EXPECT_EQ(failure_of("turbo", test::bytes_of("<!DOCTYPE html>")), "unsupported: html");
  EXPECT_EQ(failure_of("turbo", test::bytes_of("BM\x10\0\0\0\0\0\0\0...."s)), "unsupported: bmp");
  EXPECT_EQ(failure_of("turbo", test::bytes_of("II*\0...."s)), "unsupported: tiff");
  EXPECT_EQ(failure_of("turbo", test::bytes_of("Hello")), "not an image (starts with 48 65 6c 6c 6f)");
}

TEST(ImageDecoder, UnknownNameSaysWhichThereAre) {
  try {
    make_image_decoder("turbot");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "decoder: got \"turbot\", want one of opencv, turbo, turbo_full, turbo_scaled");
  }
}

TEST(ImageDecoder, EveryRegisteredDecoderDecodesOrSaysWhatIsMissing) {
  const auto encoded = test::make_jpeg({.width = 90, .height = 60, .quality = 95});
  const auto reference = make_image_decoder("turbo_full");
  const auto expected = decode(*reference, encoded, {10, 5, 50, 40});
  int usable = 0;
  for (const DecoderEntry& entry : all_decoders()) {
    if (const std::string missing = entry.unavailable(); !missing.empty()) {
      EXPECT_EQ(failure_of(entry.name, encoded), "jpeg needs the opencv module, " + missing);
      continue;
    }
    ++usable;
    const auto made = make_image_decoder(entry.name);
    const auto got = decode(*made, encoded, {10, 5, 50, 40});
    ASSERT_EQ(got.size(), expected.size()) << entry.name;
    double sum = 0;
    for (std::size_t i = 0; i < got.size(); ++i) sum += std::abs(got[i] - expected[i]);
    EXPECT_LT(sum / static_cast<double>(got.size()), 1.0) << entry.name;  // channels the wrong way round: about 40
  }
  EXPECT_GE(usable, 2);
}

// A 3 x 2 PNG from Python's zlib: red, green, blue / black, white, grey 128.
constexpr unsigned char tiny_png[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
    0x00, 0x03, 0x00, 0x00, 0x00, 0x02, 0x08, 0x02, 0x00, 0x00, 0x00, 0x12, 0x16, 0xf1, 0x4d, 0x00, 0x00, 0x00,
    0x16, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0xc0, 0x00, 0xc3, 0x0c, 0xff, 0xff, 0xff,
    0x6f, 0x68, 0x68, 0x00, 0x00, 0x3e, 0xd8, 0x07, 0x7b, 0xf0, 0xb4, 0xb0, 0x55, 0x00, 0x00, 0x00, 0x00, 0x49,
    0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82
};

TEST(ImageDecoder, PngGoesToTheOpencvModuleOrSaysWhatIsMissing) {
  const auto encoded = std::as_bytes(std::span(tiny_png));
  if (opencv_module().functions == nullptr) {
    EXPECT_EQ(failure_of("turbo", encoded), std::string("png needs the opencv module, ") + opencv_module().missing);
    GTEST_SKIP() << opencv_module().missing;
  }
  const auto decoder = make_image_decoder("turbo");
  const ImageSize size = decoder->read_header(encoded);
  EXPECT_EQ(size.width, 3);
  EXPECT_EQ(size.height, 2);
  EXPECT_EQ(pixels_of(decoder->decode({0, 0, 3, 2})),
            (std::vector<std::uint8_t>{255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 128, 128, 128}));
  EXPECT_EQ(pixels_of(decoder->decode({1, 0, 1, 1})), (std::vector<std::uint8_t>{0, 255, 0}));
}

// The same picture as lossless WebP, one colour (200, 100, 50) of 40 x 24 as lossy, and 20 x 12 with transparency
// (extended format), all by Pillow.
constexpr unsigned char lossless_webp[] = {
    0x52, 0x49, 0x46, 0x46, 0x38, 0x00, 0x00, 0x00, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50, 0x38, 0x4c, 0x2c, 0x00,
    0x00, 0x00, 0x2f, 0x02, 0x40, 0x00, 0x00, 0x2f, 0x20, 0x10, 0x20, 0x48, 0x57, 0x6e, 0x43, 0x40, 0x50, 0x74,
    0xdd, 0x72, 0x02, 0x01, 0x82, 0x74, 0xe5, 0xe6, 0x3f, 0x40, 0x6c, 0x72, 0x6c, 0x15, 0x28, 0x64, 0x1b, 0x01,
    0x0e, 0xdd, 0x4b, 0x72, 0x22, 0x17, 0xd1, 0xff, 0x18, 0x5f};
constexpr unsigned char lossy_webp[] = {
    0x52, 0x49, 0x46, 0x46, 0x4a, 0x00, 0x00, 0x00, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50, 0x38, 0x20, 0x3e, 0x00,
    0x00, 0x00, 0xb0, 0x03, 0x00, 0x9d, 0x01, 0x2a, 0x28, 0x00, 0x18, 0x00, 0x3e, 0x31, 0x18, 0x8a, 0x43, 0xa2,
    0x21, 0xa1, 0x12, 0xb4, 0x00, 0x20, 0x03, 0x04, 0xb3, 0x80, 0x3b, 0x00, 0x7e, 0x00, 0x7e, 0x00, 0x00, 0x39,
    0x42, 0x6b, 0xb8, 0x00, 0x00, 0xfe, 0xc4, 0xef, 0xff, 0xff, 0x59, 0x55, 0xf2, 0x54, 0x7e, 0xe4, 0xbf, 0xff,
    0xf7, 0x64, 0xed, 0x95, 0xc8, 0xff, 0x77, 0x00, 0x00, 0x00};
constexpr unsigned char extended_webp[] = {
    0x52, 0x49, 0x46, 0x46, 0x6e, 0x00, 0x00, 0x00, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50, 0x38, 0x58, 0x0a, 0x00,
    0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x13, 0x00, 0x00, 0x0b, 0x00, 0x00, 0x41, 0x4c, 0x50, 0x48, 0x14, 0x00,
    0x00, 0x00, 0x01, 0x0f, 0x30, 0xff, 0x11, 0x11, 0x42, 0x48, 0x40, 0x4c, 0xf0, 0xff, 0x2c, 0xd9, 0x83, 0x88,
    0xfe, 0x87, 0xd1, 0x07, 0x56, 0x50, 0x38, 0x20, 0x34, 0x00, 0x00, 0x00, 0x10, 0x03, 0x00, 0x9d, 0x01, 0x2a,
    0x14, 0x00, 0x0c, 0x00, 0x3e, 0xd1, 0x54, 0xa3, 0x4b, 0xa8, 0x24, 0xa3, 0x21, 0xb0, 0x08, 0x01, 0x00, 0x1a,
    0x09, 0x40, 0x17, 0x65, 0xd0, 0x00, 0x10, 0x36, 0x00, 0x00, 0xfe, 0x13, 0x1f, 0x5f, 0x32, 0xce, 0x17, 0xf3,
    0xfb, 0x53, 0x04, 0x91, 0x98, 0x26, 0x67, 0x00, 0x00, 0x00};

TEST(ImageDecoder, WebpOfAllThreeKindsGoesToTheOpencvModule) {
  const auto lossless = std::as_bytes(std::span(lossless_webp));
  const auto lossy = std::as_bytes(std::span(lossy_webp));
  const auto extended = std::as_bytes(std::span(extended_webp));
  const auto decoder = make_image_decoder("turbo_full");
  const auto size_of = [&](std::span<const std::byte> encoded) {
    const ImageSize size = decoder->read_header(encoded);
    return std::pair(size.width, size.height);
  };
  EXPECT_EQ(size_of(lossless), std::pair(3, 2));
  EXPECT_EQ(size_of(lossy), std::pair(40, 24));
  EXPECT_EQ(size_of(extended), std::pair(20, 12));
  EXPECT_EQ(failure_of("turbo", lossy.first(20)), "webp: its header is cut off");
  if (opencv_module().functions == nullptr) GTEST_SKIP() << opencv_module().missing;
  EXPECT_NE(failure_of("turbo", lossy.first(lossy.size() / 2)), "");
  EXPECT_EQ(decode(*decoder, lossless, {1, 0, 2, 2}),
            (std::vector<std::uint8_t>{0, 255, 0, 0, 0, 255, 255, 255, 255, 128, 128, 128}));
  const auto pixels = decode(*decoder, lossy, {5, 5, 1, 1});
  EXPECT_NEAR(pixels[0], 200, 8);
  EXPECT_NEAR(pixels[1], 100, 8);
  EXPECT_NEAR(pixels[2], 50, 8);
  EXPECT_EQ(decode(*decoder, extended, {0, 0, 20, 12}).size(), 20u * 12 * 3);
}

TEST(ImageDecoder, AFileThatOpencvCannotReadIsNotThePictureBefore) {
  if (opencv_module().functions == nullptr) GTEST_SKIP() << opencv_module().missing;
  const auto whole_png = std::as_bytes(std::span(tiny_png));
  std::vector<std::byte> broken_png(whole_png.begin(), whole_png.end());
  broken_png[24] = std::byte{77};  // 77 bits a channel: the size is still there, libpng refuses the rest
  const auto whole_webp = std::as_bytes(std::span(lossless_webp));
  std::vector<std::byte> broken_webp(whole_webp.begin(), whole_webp.end());
  std::fill(broken_webp.begin() + 25, broken_webp.end(), std::byte{0xFF});  // behind the size
  for (const char* name : {"turbo", "opencv"}) {
    const auto decoder = make_image_decoder(name);
    for (const auto& broken : {broken_png, broken_webp}) {
      EXPECT_EQ(decode(*decoder, whole_png, {0, 0, 3, 2}).size(), 18u);
      EXPECT_EQ(decode(*decoder, whole_webp, {0, 0, 3, 2}).size(), 18u);
      EXPECT_THROW(decode(*decoder, broken, {0, 0, 3, 2}), ImageError) << name;
    }
  }
}

TEST(ImageDecoder, PngThatClaimsAHugeImageIsRefusedFromItsHeader) {
  std::vector<std::byte> bytes(std::as_bytes(std::span(tiny_png)).begin(), std::as_bytes(std::span(tiny_png)).end());
  for (const std::size_t i : {16u, 20u}) bytes[i + 2] = std::byte{0xff};
  EXPECT_NE(failure_of("turbo", bytes).find("over the limit"), std::string::npos);
  bytes.resize(20);
  EXPECT_EQ(failure_of("turbo", bytes), "png: its header is cut off");
}

}  // namespace
}  // namespace feedtune
