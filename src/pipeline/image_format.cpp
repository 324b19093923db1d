#include "pipeline/image_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pipeline/image_error.hpp"
#include "pipeline/packed_format.hpp"

namespace feedtune {
namespace {

bool has_at(std::span<const std::byte> bytes, std::size_t offset, std::string_view text) {
  return bytes.size() >= offset + text.size() && std::memcmp(bytes.data() + offset, text.data(), text.size()) == 0;
}

std::uint32_t number_at(std::span<const std::byte> bytes, std::size_t offset, int length, bool big_endian) {
  std::uint32_t value = 0;
  for (int i = 0; i < length; ++i) {
    const auto byte = static_cast<std::uint32_t>(bytes[offset + static_cast<std::size_t>(i)]);
    value |= byte << (8 * (big_endian ? length - 1 - i : i));
  }
  return value;
}

ImageSize checked(std::uint32_t width, std::uint32_t height) {
  if (width == 0 || height == 0) throw ImageError(fmt::format("its header says {} x {} pixels", width, height));
  constexpr std::uint32_t most = 1u << 30;
  const ImageSize size{static_cast<int>(std::min(width, most)), static_cast<int>(std::min(height, most))};
  check_limits(size);
  return size;
}

/// ISO base media files: the brand says which codec is inside.
ImageFormat by_brand(std::span<const std::byte> bytes) {
  if (has_at(bytes, 8, "avif") || has_at(bytes, 8, "avis")) return ImageFormat::avif;
  for (const char* brand : {"heic", "heix", "heim", "heis", "hevc", "mif1", "msf1"})
    if (has_at(bytes, 8, brand)) return ImageFormat::heic;
  return ImageFormat::unknown;
}

}  // namespace

ImageFormat image_format(std::span<const std::byte> bytes) {
  using namespace std::string_view_literals;
  if (has_at(bytes, 0, "\xff\xd8\xff"sv)) return ImageFormat::jpeg;
  if (has_at(bytes, 0, "\x89PNG\r\n\x1a\n"sv)) return ImageFormat::png;
  if (has_at(bytes, 0, "RIFF"sv) && has_at(bytes, 8, "WEBP"sv)) return ImageFormat::webp;
  if (has_at(bytes, 0, "GIF87a"sv) || has_at(bytes, 0, "GIF89a"sv)) return ImageFormat::gif;
  if (has_at(bytes, 0, "BM"sv) && has_at(bytes, 6, "\0\0\0\0"sv)) return ImageFormat::bmp;
  if (has_at(bytes, 0, "II*\0"sv) || has_at(bytes, 0, "MM\0*"sv)) return ImageFormat::tiff;
  if (has_at(bytes, 4, "ftyp"sv)) return by_brand(bytes);
  if (has_at(bytes, 0, "\0\0\0\x0cjP  "sv) || has_at(bytes, 0, "\xff\x4f\xff\x51"sv)) return ImageFormat::jpeg2000;
  if (has_at(bytes, 0, "\0\0\0\x0cJXL "sv) || has_at(bytes, 0, "\xff\x0a"sv)) return ImageFormat::jpeg_xl;
  if (has_at(bytes, 0, "\x1f\x8b"sv)) return ImageFormat::gzip;
  if (has_at(bytes, 0, "PK\x03\x04"sv)) return ImageFormat::zip;
  if (has_at(bytes, 0, "FTRAWRGB"sv)) return ImageFormat::raw;
  for (const auto start : {"<!DOCTYPE"sv, "<!doctype"sv, "<html"sv, "<HTML"sv})
    if (has_at(bytes, 0, start)) return ImageFormat::html;
  return ImageFormat::unknown;
}

std::string_view to_text(ImageFormat format) {
  static constexpr std::string_view names[] = {"unknown", "jpeg", "png",  "webp",      "gif",     "bmp",  "tiff",
                                               "avif",    "heic", "jpeg2000", "jpeg-xl", "gzip", "zip", "html", "raw"};
  return names[static_cast<std::size_t>(format)];
}

void check_limits(ImageSize size) {
  const std::int64_t pixels = std::int64_t{size.width} * size.height;
  if (size.width > max_side || size.height > max_side || pixels > max_pixels)
    throw ImageError(fmt::format("{} x {} pixels, over the limit of {} pixels and {} a side", size.width, size.height,
                                 max_pixels, max_side));
}

ImageSize png_size(std::span<const std::byte> bytes) {
  if (bytes.size() < 24 || !has_at(bytes, 12, "IHDR")) throw ImageError("png: its header is cut off");
  return checked(number_at(bytes, 16, 4, true), number_at(bytes, 20, 4, true));
}

// https://developers.google.com/speed/webp/docs/riff_container and RFC 6386 section 9.1 (VP8's frame header).
ImageSize webp_size(std::span<const std::byte> bytes) {
  if (has_at(bytes, 12, "VP8X") && bytes.size() >= 30)
    return checked(number_at(bytes, 24, 3, false) + 1, number_at(bytes, 27, 3, false) + 1);
  if (has_at(bytes, 12, "VP8L") && bytes.size() >= 25) {
    const std::uint32_t packed = number_at(bytes, 21, 4, false);
    return checked((packed & 0x3fff) + 1, ((packed >> 14) & 0x3fff) + 1);
  }
  if (has_at(bytes, 12, "VP8 ") && bytes.size() >= 30)
    return checked(number_at(bytes, 26, 2, false) & 0x3fff, number_at(bytes, 28, 2, false) & 0x3fff);
  throw ImageError("webp: its header is cut off");
}

ImageSize raw_size(std::span<const std::byte> bytes) { return raw_size(bytes, bytes.size()); }

ImageSize raw_size(std::span<const std::byte> head, std::uint64_t bytes) {
  if (head.size() < raw_header_bytes) throw ImageError("raw: its header is cut off");
  const ImageSize size = checked(number_at(head, 8, 4, false), number_at(head, 12, 4, false));
  const std::uint64_t expected = raw_header_bytes + std::uint64_t{3} * static_cast<unsigned>(size.width) * static_cast<unsigned>(size.height);
  if (bytes != expected)
    throw ImageError(fmt::format("raw: {} bytes, want {} for {} x {} pixels", bytes, expected, size.width, size.height));
  return size;
}

}  // namespace feedtune
