#pragma once
// Encoded bytes -> RGB pixels of one crop. One file in decoders/ each; JPEG is theirs, PNG and WebP go to the opencv
// module whichever is chosen (image_decoder.hpp).
// EXIF orientation is ignored by all of them (image_format.hpp).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/crop.hpp"
#include "pipeline/image_format.hpp"

namespace feedtune {

/// Where a crop lies along one side of the decoded pixels: whole pixels unless decoded smaller.
struct CropSpan {
  double begin = 0;
  double length = 0;  ///< 0: all of them
};

/// Pixels of one crop, RGB, 8 bits each, `row_bytes` from row to row. They belong to the decoder and last until its
/// next read_header().
struct DecodedImage {
  const std::uint8_t* pixels = nullptr;  ///< of the top left corner
  std::size_t row_bytes = 0;
  int width = 0;   ///< decoded pixels that the crop touches
  int height = 0;
  CropSpan across{};
  CropSpan down{};
  std::string_view warning = {};   ///< the decoder's own words where it met damage and went on; else empty
};

/// Each worker owns one; not thread-safe. Allocates nothing of its own per image once it has seen the largest; libjpeg
/// takes its working memory anew for each image.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Begins a new image. `encoded` must last until decode() returns. Throws ImageError: damaged beyond use, over the
  /// limits of image_format.hpp, or of a kind that this decoder doesn't take.
  virtual ImageSize read_header(std::span<const std::byte> encoded) = 0;
  /// Once after read_header(). `crop` lies inside the image. Throws ImageError.
  virtual DecodedImage decode(const CropBox& crop) = 0;
};

struct DecoderEntry {
  std::string name;
  std::string summary;
  /// Empty: usable here. Else what is missing.
  std::function<std::string()> unavailable;
  /// A decoder of JPEG files for crops that are resized to squares of `side` pixels.
  std::function<std::unique_ptr<Decoder>(int side)> make;
};

/// Every decoder, from the files in decoders/ (generated table, alphabetical).
std::vector<DecoderEntry> all_decoders();

}  // namespace feedtune
