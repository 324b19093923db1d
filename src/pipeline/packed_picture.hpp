#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pipeline/decoder.hpp"
#include "pipeline/jpeg_writer.hpp"
#include "pipeline/packed_format.hpp"
#include "pipeline/resize_weights.hpp"

namespace feedtune {

/// Size of a picture whose shorter side was brought down to `side` (0: left alone): never larger than before, the longer
/// side rounded down, as torchvision's Resize does.
ImageSize packed_size(ImageSize image, int side);

/// An encoded file -> the bytes of its record. Not thread-safe. The same bytes on every machine.
class PackedPicture {
 public:
  explicit PackedPicture(const PackRecipe& recipe);

  struct Record {
    std::span<const std::byte> bytes;  ///< until the next make(), or as long as `encoded` where it is unchanged
    bool damaged = false;              ///< decoded with a warning
  };
  /// jpeg: the bytes as they are. resized: a JPEG that is small enough as it is, else a new one. raw: its pixels.
  /// The resize is antialiased, as the pipeline's is. Throws ImageError for what cannot be decoded.
  Record make(std::span<const std::byte> encoded);

 private:
  /// Packed RGB into pixels_, behind room for a raw header.
  void resize(const DecodedImage& image, ImageSize to);

  PackRecipe recipe_;
  std::unique_ptr<Decoder> decoder_;
  JpegWriter jpeg_;
  ResizeWeights row_weights_;
  ResizeWeights column_weights_;
  std::vector<const std::uint8_t*> rows_;
  std::vector<std::uint8_t> blended_;
  std::vector<std::uint8_t> resized_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace feedtune
