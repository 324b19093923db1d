// Our own Huffman decoding of baseline files: bit for bit what libjpeg makes of them, whole or damaged.

#include <gtest/gtest.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "image_jpeg_fixture.hpp"
#include "pipeline/baseline_scan.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/jpeg_reader.hpp"

namespace feedtune {
namespace {

using test::JpegKind;
using Colour = JpegKind::Colour;

/// 0 to below `below`, the same numbers each run.
class Draws {
 public:
  explicit Draws(std::uint32_t seed) : state_(seed) {}
  std::size_t operator()(std::size_t below) {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<std::size_t>(state_ >> 8) % below;
  }

 private:
  std::uint32_t state_;
};

/// What `turbo` makes of a whole file.
test::PlainDecode decode_whole(Decoder& decoder, std::span<const std::byte> encoded) {
  test::PlainDecode decoded;
  try {
    const ImageSize size = decoder.read_header(encoded);
    const DecodedImage image = decoder.decode({0, 0, size.width, size.height});
    for (int y = 0; y < image.height; ++y) {
      const std::uint8_t* row = image.pixels + static_cast<std::size_t>(y) * image.row_bytes;
      decoded.pixels.insert(decoded.pixels.end(), row, row + 3 * image.width);
    }
    decoded.warning = image.warning;
  } catch (const ImageError& error) {
    decoded.error = error.what();
  }
  return decoded;
}

std::vector<JpegKind> kinds() {
  std::vector<JpegKind> all;
  const int samplings[][2] = {{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}, {2, 4}};
  for (const auto& [h, v] : samplings)
    for (const int quality : {5, 60, 93, 100})
      for (const bool optimised : {false, true})
        for (const int restart_mcus : {0, 1, 5})
          all.push_back({.width = 131, .height = 97, .horizontal = h, .vertical = v, .quality = quality,
                         .restart_mcus = restart_mcus, .optimised = optimised,
                         .seed = static_cast<unsigned>(all.size())});
  for (const Colour colour : {Colour::grey, Colour::rgb, Colour::cmyk, Colour::ycck})
    for (const int restart_mcus : {0, 3})
      all.push_back({.width = 70, .height = 50, .colour = colour, .horizontal = 1, .vertical = 1, .restart_mcus = restart_mcus});
  all.push_back({.width = 70, .height = 50, .colour = Colour::grey, .horizontal = 2, .vertical = 2});
  return all;
}

struct Escape {
  jpeg_error_mgr base;
  std::jmp_buf to;
};

/// Whether the scan takes the file over and reads it to its end.
bool taken_over(std::span<const std::byte> encoded, BaselineScan& scan) {
  jpeg_decompress_struct info{};
  Escape errors{};
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = [](j_common_ptr at) { std::longjmp(reinterpret_cast<Escape*>(at->err)->to, 1); };
  static bool taken;
  taken = false;
  static std::vector<std::uint8_t> row;
  if (setjmp(errors.to) == 0) {
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size());
    jpeg_read_header(&info, TRUE);
    jpeg_start_decompress(&info);
    taken = scan.take_over(info, 0, info.output_width, 8);
    row.resize(std::size_t{info.output_width} * 4);
    while (info.output_scanline < info.output_height) {
      JSAMPROW into = row.data();
      jpeg_read_scanlines(&info, &into, 1);
    }
  }
  jpeg_destroy_decompress(&info);
  return taken;
}

TEST(ImageHuffman, EveryBaselineFileIsTakenOverAndNoOther) {
  ASSERT_TRUE(BaselineScan::available());
  BaselineScan scan;
  for (const JpegKind& kind : kinds()) {
    EXPECT_TRUE(taken_over(test::make_jpeg(kind), scan));
    EXPECT_FALSE(scan.gave_up());
  }
  EXPECT_FALSE(taken_over(test::make_jpeg({.progressive = true}), scan));
}

TEST(ImageHuffman, WholeFilesGiveLibjpegsPixels) {
  const auto decoder = make_image_decoder("turbo");
  for (const JpegKind& kind : kinds()) {
    if (kind.colour == Colour::cmyk || kind.colour == Colour::ycck) continue;  // plain libjpeg leaves those as they are
    const auto encoded = test::make_jpeg(kind);
    const auto expected = test::decode_by_libjpeg(encoded);
    ASSERT_EQ(expected.error + expected.warning, "");
    const auto got = decode_whole(*decoder, encoded);
    EXPECT_EQ(got.error + got.warning, "");
    EXPECT_TRUE(got.pixels == expected.pixels)
        << kind.horizontal << "x" << kind.vertical << " quality " << kind.quality << " optimised " << kind.optimised
        << " restart " << kind.restart_mcus;
  }
}

/// The same pixels and warning, or the same error.
void expect_as_libjpeg(Decoder& decoder, std::span<const std::byte> encoded, const std::string& what) {
  const auto expected = test::decode_by_libjpeg(encoded);
  const auto got = decode_whole(decoder, encoded);
  ASSERT_EQ(got.error, expected.error) << what;
  if (!expected.error.empty()) return;
  ASSERT_EQ(got.warning, expected.warning) << what;
  ASSERT_TRUE(got.pixels == expected.pixels) << what;
}

TEST(ImageHuffman, FilesCutOffAnywhereAreLibjpegsToTheBit) {
  const auto decoder = make_image_decoder("turbo");
  for (const int restart_mcus : {0, 4}) {
    const auto encoded = test::make_jpeg({.width = 80, .height = 60, .restart_mcus = restart_mcus});
    for (std::size_t bytes = 200; bytes < encoded.size(); bytes += 3)  // headers are tried elsewhere
      expect_as_libjpeg(*decoder, std::span(encoded).first(bytes), "cut at " + std::to_string(bytes));
    auto erased = encoded;  // as flash memory is, from the end marker on
    erased.resize(encoded.size() - 2);
    erased.insert(erased.end(), 40, std::byte{0xFF});
    expect_as_libjpeg(*decoder, erased, "erased end");
    erased.back() = std::byte{0xD9};
    expect_as_libjpeg(*decoder, erased, "erased end, end marker");
  }
}

TEST(ImageHuffman, ARunOfErasedBytesBeforeAZeroIsNoMarker) {
  const auto decoder = make_image_decoder("turbo");
  int warned = 0;
  for (unsigned seed = 1; seed <= 40; ++seed)
    for (const auto& [ones, zeros] : {std::pair<std::size_t, std::size_t>{1, 1}, {2, 1}, {3, 2}, {16, 1}, {16, 2}}) {
      const auto whole = test::make_jpeg({.width = 40, .height = 30, .seed = seed});
      std::vector<std::byte> erased(whole.begin(), whole.end() - 2);  // without the end marker
      for (std::size_t k = 0; k < ones + zeros; ++k) erased.push_back(k < ones ? std::byte{0xFF} : std::byte{0x00});
      expect_as_libjpeg(*decoder, erased, std::to_string(ones) + " ones, " + std::to_string(zeros) + " zeros");
      warned += decode_whole(*decoder, erased).warning.empty() ? 0 : 1;
    }
  EXPECT_GT(warned, 0) << "some of these must be of the kind that libjpeg warns of";
}

TEST(ImageHuffman, AFileWithoutTablesIsReadWithTheStandardOnesAsMotionJpegIs) {
  const auto decoder = make_image_decoder("turbo");
  auto encoded = test::make_jpeg({});
  const auto expected = test::decode_by_libjpeg(encoded);
  for (std::size_t at = 2; at + 4 < encoded.size() && encoded[at + 1] != std::byte{0xDA};) {
    const std::size_t bytes = 2 + (std::to_integer<std::size_t>(encoded[at + 2]) << 8 | std::to_integer<std::size_t>(encoded[at + 3]));
    const auto begin = encoded.begin() + static_cast<std::ptrdiff_t>(at);
    if (encoded[at + 1] == std::byte{0xC4}) encoded.erase(begin, begin + static_cast<std::ptrdiff_t>(bytes));
    else at += bytes;
  }
  expect_as_libjpeg(*decoder, encoded, "no tables");
  EXPECT_TRUE(decode_whole(*decoder, encoded).pixels == expected.pixels);
}

/// Changes one to three bytes of the file's second half, where the picture's bits are; headers are tried elsewhere.
std::vector<std::byte> damaged(std::vector<std::byte> encoded, Draws& draw) {
  const std::size_t from = encoded.size() / 2;
  for (std::size_t n = 1 + draw(3); n > 0; --n)
    encoded[from + draw(encoded.size() - from)] = static_cast<std::byte>(draw(3) == 0 ? 0xFF : draw(256));
  return encoded;
}

JpegKind any_kind(Draws& draw) {
  return {.width = 60, .height = 44, .horizontal = 1 + static_cast<int>(draw(2)), .vertical = 1 + static_cast<int>(draw(2)),
          .restart_mcus = draw(2) == 0 ? 0 : 3, .optimised = draw(2) == 0};
}

TEST(ImageHuffman, DamagedFilesAreLibjpegsToTheBit) {
  const auto decoder = make_image_decoder("turbo");
  Draws draw(7);
  int changed = 0;
  for (int k = 0; k < 4000; ++k) {
    const auto encoded = damaged(test::make_jpeg(any_kind(draw)), draw);
    expect_as_libjpeg(*decoder, encoded, "damage " + std::to_string(k));
    if (HasFatalFailure()) return;
    if (test::decode_by_libjpeg(encoded).warning != "") ++changed;
  }
  EXPECT_GT(changed, 1000) << "the damage must be of a kind that shows";
}

/// A crop of a file at a scale, with everything that is said about it.
test::PlainDecode decode_crop(JpegReader& reader, std::span<const std::byte> encoded, const CropBox& crop, int eighths) {
  test::PlainDecode decoded;
  try {
    reader.read_header(encoded);
    const DecodedImage image = reader.decode(crop, JpegReader::Extent::crop_only, eighths);
    for (int y = 0; y < image.height; ++y) {
      const std::uint8_t* row = image.pixels + static_cast<std::size_t>(y) * image.row_bytes;
      decoded.pixels.insert(decoded.pixels.end(), row, row + 3 * image.width);
    }
    decoded.warning = image.warning;
  } catch (const ImageError& error) {
    decoded.error = error.what();
  }
  return decoded;
}

TEST(ImageHuffman, CropsAtEveryScaleWholeOrDamagedAreLibjpegsToTheBit) {
  JpegReader ours;
  JpegReader libjpegs(JpegReader::Huffman::libjpegs);
  Draws draw(11);
  int damages = 0;
  for (int k = 0; k < 3000; ++k) {
    JpegKind kind = any_kind(draw);
    kind.width = 20 + static_cast<int>(draw(180));
    kind.height = 20 + static_cast<int>(draw(120));
    if (draw(6) == 0) kind.colour = Colour::grey;
    auto encoded = test::make_jpeg(kind);
    if (draw(2) == 0) encoded = damaged(std::move(encoded), draw);
    const int width = 1 + static_cast<int>(draw(static_cast<std::size_t>(kind.width)));
    const int height = 1 + static_cast<int>(draw(static_cast<std::size_t>(kind.height)));
    const CropBox crop{static_cast<int>(draw(static_cast<std::size_t>(kind.width - width + 1))),
                       static_cast<int>(draw(static_cast<std::size_t>(kind.height - height + 1))), width, height};
    const int eighths = 8 >> draw(4);
    const auto expected = decode_crop(libjpegs, encoded, crop, eighths);
    const auto got = decode_crop(ours, encoded, crop, eighths);
    ASSERT_EQ(got.error, expected.error) << k;
    ASSERT_EQ(got.warning, expected.warning) << k;
    ASSERT_TRUE(got.pixels == expected.pixels) << k << ": " << kind.width << "x" << kind.height << ", crop " << crop.left << ","
                                               << crop.top << " " << width << "x" << height << " at " << eighths << "/8";
    if (expected.warning != "") ++damages;
  }
  EXPECT_GT(damages, 300);
}

}  // namespace
}  // namespace feedtune
