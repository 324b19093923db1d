#pragma once
// What a file is, by its first bytes; names play no part.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace feedtune {

enum class ImageFormat { unknown, jpeg, png, webp, gif, bmp, tiff, avif, heic, jpeg2000, jpeg_xl, gzip, zip, html, raw };

/// Needs 16 bytes to tell the formats apart; fewer are fine.
ImageFormat image_format(std::span<const std::byte> bytes);
/// "jpeg", "html"; "unknown".
std::string_view to_text(ImageFormat format);

struct ImageSize {
  int width = 0;   ///< pixels
  int height = 0;
};

/// Limits on what is decoded, checked on the header before anything is allocated from it. Pixels: where Pillow raises
/// DecompressionBombError. Side: JPEG's own limit (libjpeg's JPEG_MAX_DIMENSION).
inline constexpr std::int64_t max_pixels = 178'956'970;
inline constexpr int max_side = 65'500;

/// Throws ImageError naming the size and the limit.
void check_limits(ImageSize size);

/// For the record of a run: every decoder gives the pixels in the order in which they are stored, as torchvision's
/// decoders do and Pillow does without exif_transpose.
inline constexpr std::string_view exif_orientation_policy = "ignored (pixels as stored)";

/// From the header of a PNG or WebP file. These throw ImageError where it is cut off or makes no sense.
ImageSize png_size(std::span<const std::byte> bytes);
ImageSize webp_size(std::span<const std::byte> bytes);
/// Of a raw record of a packed folder (packed_format.hpp), which must have exactly its pixels behind its header.
ImageSize raw_size(std::span<const std::byte> bytes);
/// The same of its first bytes alone.
ImageSize raw_size(std::span<const std::byte> head, std::uint64_t bytes);

}  // namespace feedtune
