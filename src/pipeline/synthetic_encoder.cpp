#include "pipeline/synthetic_encoder.hpp"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <jpeglib.h>

#include "core/error.hpp"

namespace feedtune {
namespace {

constexpr int quality_min = 70;
constexpr int quality_max = 97;

struct JpegError {
  jpeg_error_mgr base;
  std::jmp_buf jump;
};

void set_format(jpeg_compress_struct& jpeg, SyntheticKind kind, int quality) {
  const bool grey = kind == SyntheticKind::grey;
  const bool cmyk = kind == SyntheticKind::cmyk;
  jpeg.input_components = grey ? 1 : cmyk ? 4 : 3;
  jpeg.in_color_space = grey ? JCS_GRAYSCALE : cmyk ? JCS_CMYK : JCS_YCbCr;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg.dct_method = JDCT_ISLOW;
  if (jpeg.num_components == 3) {
    jpeg.comp_info[0].h_samp_factor = kind == SyntheticKind::s444 ? 1 : 2;
    jpeg.comp_info[0].v_samp_factor = kind == SyntheticKind::s444 || kind == SyntheticKind::s422 ? 1 : 2;
  }
  if (kind == SyntheticKind::progressive) jpeg_simple_progression(&jpeg);
}

/// Inverted ink, as Photoshop writes it: the three inks are inverted red, green and blue (BT.601, in 1/65536), no
/// black.
void write_inks(int y, int cb, int cr, unsigned char* out) {
  const auto byte = [](int value) { return static_cast<unsigned char>(std::clamp(value, 0, 255)); };
  out[0] = byte(y + ((91881 * (cr - 128) + 32768) >> 16));
  out[1] = byte(y - ((22554 * (cb - 128) + 46802 * (cr - 128) + 32768) >> 16));
  out[2] = byte(y + ((116130 * (cb - 128) + 32768) >> 16));
  out[3] = 255;
}

void fill_row(const SyntheticPicture& picture, SyntheticKind kind, int y, std::vector<unsigned char>& row) {
  const int width = picture.y.width;
  const std::uint8_t* luma = picture.y.row(y);
  const bool half = picture.cb.width != width || picture.cb.height != picture.y.height;
  const std::uint8_t* blue = picture.cb.row(half ? y / 2 : y);
  const std::uint8_t* red = picture.cr.row(half ? y / 2 : y);
  unsigned char* out = row.data();
  if (kind == SyntheticKind::cmyk) {
    for (int x = 0; x < width; ++x) write_inks(luma[x], blue[x], red[x], out + 4 * x);
    return;
  }
  for (int x = 0; x < width; ++x) {
    out[3 * x] = luma[x];
    out[3 * x + 1] = blue[half ? x / 2 : x];
    out[3 * x + 2] = red[half ? x / 2 : x];
  }
}

}  // namespace

std::size_t SyntheticEncoder::encode_at(const SyntheticPicture& picture, SyntheticKind kind, int quality) {
  const auto width = static_cast<std::size_t>(picture.y.width), height = static_cast<std::size_t>(picture.y.height);
  row_.resize(width * 4);
  trial_.resize(width * height * 4 + 65536);  // more than any quality makes of four channels
  jpeg_compress_struct jpeg;
  JpegError error;
  jpeg.err = jpeg_std_error(&error.base);
  error.base.error_exit = [](j_common_ptr info) { std::longjmp(reinterpret_cast<JpegError*>(info->err)->jump, 1); };
  if (setjmp(error.jump) != 0) {  // nothing with a destructor is created below
    char message[JMSG_LENGTH_MAX] = "";
    error.base.format_message(reinterpret_cast<j_common_ptr>(&jpeg), message);
    jpeg_destroy_compress(&jpeg);
    throw Error(std::string("libjpeg could not encode a synthetic picture: ") + message);
  }
  jpeg_create_compress(&jpeg);
  unsigned char* buffer = trial_.data();
  unsigned long size = trial_.size();
  jpeg_mem_dest(&jpeg, &buffer, &size);
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.image_height = static_cast<JDIMENSION>(height);
  set_format(jpeg, kind, quality);
  jpeg_start_compress(&jpeg, TRUE);
  for (int y = 0; y < picture.y.height; ++y) {
    JSAMPROW row = row_.data();
    if (kind == SyntheticKind::grey) {
      row = const_cast<JSAMPROW>(picture.y.row(y));
    } else {
      fill_row(picture, kind, y, row_);
    }
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  return size;
}

std::span<const unsigned char> SyntheticEncoder::encode(const SyntheticPicture& picture, SyntheticKind kind,
                                                        int target_bytes) {
  struct Point {
    int quality;
    long bytes;
  };
  Point low{quality_min - 1, 0}, high{quality_max + 1, 0};
  std::size_t best_size = 0;
  int quality = 90;
  for (int trial = 0; trial < 5 && quality >= quality_min && quality <= quality_max; ++trial) {
    const std::size_t size = encode_at(picture, kind, quality);
    const auto miss = [&](std::size_t bytes) { return std::abs(static_cast<long>(bytes) - target_bytes); };
    if (best_size == 0 || miss(size) < miss(best_size)) {
      best_size = size;
      quality_ = quality;
      std::swap(best_, trial_);
    }
    (static_cast<long>(size) < target_bytes ? low : high) = {quality, static_cast<long>(size)};
    if (high.quality - low.quality <= 1) break;
    if (low.bytes == 0 || high.bytes == 0) {
      quality += high.bytes == 0 ? 4 : -8;
      quality = std::clamp(quality, low.quality + 1, high.quality - 1);
    } else {
      const long step = (high.quality - low.quality) * (target_bytes - low.bytes) / (high.bytes - low.bytes);
      quality = std::clamp(low.quality + static_cast<int>(step), low.quality + 1, high.quality - 1);
    }
  }
  return {best_.data(), best_size};
}

}  // namespace feedtune
