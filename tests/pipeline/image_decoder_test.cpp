// Decoding: the fast partial decoder shows the model the same pixels as a whole decode, and bad files cost a reason,
// never the run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/error.hpp"
#include "image_decode_fixture.hpp"
#include "image_jpeg_fixture.hpp"
#include "pipeline/decoder.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/jpeg_reader.hpp"
#include "pipeline/opencv_module.hpp"

namespace feedtune {
namespace {

using test::decode;
using test::failure_of;
using test::pixels_of;
using test::JpegKind;
using Colour = JpegKind::Colour;

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

}  // namespace
}  // namespace feedtune
