#include "image_jpeg_fixture.hpp"

#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <jpeglib.h>

namespace feedtune::test {
namespace {

std::vector<std::uint8_t> picture(const JpegKind& kind, int components) {
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(kind.width) * static_cast<std::size_t>(kind.height) *
                 static_cast<std::size_t>(components));
  std::uint32_t state = kind.seed * 2654435761u + 12345;
  for (int y = 0; y < kind.height; ++y) {
    for (int x = 0; x < kind.width; ++x) {
      for (int c = 0; c < components; ++c) {
        state = state * 1664525u + 1013904223u;
        const double wave = 100 + 60 * std::sin(0.11 * x * (c + 1) + 0.07 * y) + 40 * ((x / 7 + y / 5 + c) % 2);
        pixels.push_back(static_cast<std::uint8_t>(wave + (state >> 27)));
      }
    }
  }
  return pixels;
}

}  // namespace

std::vector<std::byte> make_jpeg(const JpegKind& kind) {
  using Colour = JpegKind::Colour;
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = static_cast<JDIMENSION>(kind.width);
  info.image_height = static_cast<JDIMENSION>(kind.height);
  const bool four = kind.colour == Colour::cmyk || kind.colour == Colour::ycck;
  info.input_components = kind.colour == Colour::grey ? 1 : four ? 4 : 3;
  info.in_color_space = kind.colour == Colour::grey ? JCS_GRAYSCALE : four ? JCS_CMYK : JCS_RGB;
  jpeg_set_defaults(&info);
  if (kind.colour == Colour::ycck) jpeg_set_colorspace(&info, JCS_YCCK);
  if (kind.colour == Colour::cmyk) jpeg_set_colorspace(&info, JCS_CMYK);
  if (kind.colour == Colour::rgb) jpeg_set_colorspace(&info, JCS_RGB);
  if (kind.colour == Colour::cmyk) info.write_Adobe_marker = kind.adobe_marker ? TRUE : FALSE;
  jpeg_set_quality(&info, kind.quality, TRUE);
  for (int c = 0; c < info.num_components; ++c) {
    const bool full = c == 0 || (kind.colour == Colour::ycck && c == 3);
    info.comp_info[c].h_samp_factor = full ? kind.horizontal : 1;
    info.comp_info[c].v_samp_factor = full ? kind.vertical : 1;
  }
  if (kind.progressive) jpeg_simple_progression(&info);
  info.restart_in_rows = kind.restart_rows;
  info.restart_interval = static_cast<unsigned>(kind.restart_mcus);
  info.optimize_coding = kind.optimised ? TRUE : FALSE;

  const auto pixels = picture(kind, info.input_components);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<std::uint8_t*>(pixels.data()) + std::size_t{info.next_scanline} * info.image_width *
                                                                  static_cast<std::size_t>(info.input_components);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const auto* bytes = reinterpret_cast<const std::byte*>(memory);
  std::vector<std::byte> encoded(bytes, bytes + size);
  std::free(memory);
  return encoded;
}

namespace {

struct PlainErrors {
  jpeg_error_mgr base;
  std::jmp_buf escape;
  char error[JMSG_LENGTH_MAX];
  char warning[JMSG_LENGTH_MAX];
};

/// Only trivial locals, as a longjmp needs.
bool decode_plainly(jpeg_decompress_struct& info, PlainErrors& errors, std::span<const std::byte> encoded,
                    std::vector<std::uint8_t>& pixels) {
  if (setjmp(errors.escape) != 0) return false;
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size());
  jpeg_read_header(&info, TRUE);
  const bool four = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = four ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  const std::size_t row_bytes = std::size_t{info.output_width} * (four ? 4 : 3);
  pixels.resize(row_bytes * info.output_height);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels.data() + row_bytes * info.output_scanline;
    jpeg_read_scanlines(&info, &row, 1);
  }
  return true;
}

}  // namespace

PlainDecode decode_by_libjpeg(std::span<const std::byte> encoded) {
  jpeg_decompress_struct info{};
  PlainErrors errors{};
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = [](j_common_ptr at) {
    auto& own = *reinterpret_cast<PlainErrors*>(at->err);
    own.base.format_message(at, own.error);
    std::longjmp(own.escape, 1);
  };
  errors.base.emit_message = [](j_common_ptr at, int level) {
    auto& own = *reinterpret_cast<PlainErrors*>(at->err);
    if (level < 0 && own.base.num_warnings++ == 0) own.base.format_message(at, own.warning);
  };
  PlainDecode decoded;
  if (!decode_plainly(info, errors, encoded, decoded.pixels)) decoded.error = errors.error;
  decoded.warning = errors.warning;
  jpeg_destroy_decompress(&info);
  return decoded;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace feedtune::test
