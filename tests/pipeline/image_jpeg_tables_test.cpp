// What a file looks like must not hang on the file that the same worker read before: tables that a file doesn't bring are missing
// (quantisation) or the standard's (Huffman, as in the frames of Motion JPEG), never those of the file before.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "image_jpeg_fixture.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/jpeg_reader.hpp"

namespace feedtune {
namespace {

using test::JpegKind;
using test::make_jpeg;
using Bytes = std::vector<std::byte>;

/// The file without its segments of that kind.
Bytes without(Bytes file, int marker) {
  for (std::size_t at = 2; at + 4 <= file.size() && file[at] == std::byte{0xff} && file[at + 1] != std::byte{0xda};) {
    const std::size_t length = 2 + std::to_integer<std::size_t>(file[at + 2]) * 256 + std::to_integer<std::size_t>(file[at + 3]);
    if (file[at + 1] == static_cast<std::byte>(marker))
      file.erase(file.begin() + static_cast<std::ptrdiff_t>(at), file.begin() + static_cast<std::ptrdiff_t>(at + length));
    else
      at += length;
  }
  return file;
}

constexpr int dqt = 0xdb, dht = 0xc4;

/// Its pixels, or what it threw.
std::string seen_by(JpegReader& reader, const Bytes& file, JpegReader::Extent extent) {
  try {
    const ImageSize size = reader.read_header(file);
    const DecodedImage image = reader.decode({0, 0, size.width, size.height}, extent);
    std::string seen(image.warning);
    for (int y = 0; y < image.height; ++y)
      seen.append(reinterpret_cast<const char*>(image.pixels + static_cast<std::size_t>(y) * image.row_bytes), static_cast<std::size_t>(image.width) * 3);
    return seen;
  } catch (const ImageError& error) {
    return error.what();
  }
}

TEST(JpegTables, AFileLooksTheSameAfterAnyOther) {
  const Bytes plain = make_jpeg({}), coarse = make_jpeg({.quality = 20, .optimised = true, .seed = 2}), grey = make_jpeg({.colour = JpegKind::Colour::grey});
  const std::vector<Bytes> files = {plain, without(plain, dht), without(plain, dqt), coarse, without(coarse, dht), without(coarse, dqt), grey,
                                    without(grey, dht), without(without(plain, dqt), dht)};
  for (const auto huffman : {JpegReader::Huffman::ours, JpegReader::Huffman::libjpegs})
    for (const auto extent : {JpegReader::Extent::crop_only, JpegReader::Extent::whole}) {
      std::vector<std::string> fresh;
      for (const Bytes& file : files) {
        JpegReader reader(huffman);
        fresh.push_back(seen_by(reader, file, extent));
      }
      EXPECT_EQ(fresh[1], fresh[0]) << "the standard's Huffman tables are implied";
      EXPECT_EQ(fresh[2], "Quantization table 0x00 was not defined");
      JpegReader kept(huffman);
      for (std::size_t before = 0; before < files.size(); ++before)
        for (std::size_t k = 0; k < files.size(); ++k) {
          seen_by(kept, files[before], extent);
          EXPECT_EQ(seen_by(kept, files[k], extent) == fresh[k], true) << "file " << k << " after " << before;
        }
    }
}

}  // namespace
}  // namespace feedtune
