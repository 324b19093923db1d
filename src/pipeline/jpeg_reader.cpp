#include "pipeline/jpeg_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include "pipeline/baseline_scan.hpp"
#include "pipeline/image_error.hpp"
#include "pipeline/jpeg_tables.hpp"
#include "pipeline/scratch_buffer.hpp"

namespace feedtune {
namespace {

struct ErrorManager {
  jpeg_error_mgr base;  // first, so that libjpeg's pointer to it is a pointer to the whole
  std::jmp_buf escape;
  char error[JMSG_LENGTH_MAX];
  char warning[JMSG_LENGTH_MAX];
};

ErrorManager& manager(j_common_ptr info) { return *reinterpret_cast<ErrorManager*>(info->err); }

[[noreturn]] void on_error(j_common_ptr info) {
  ErrorManager& errors = manager(info);
  errors.base.format_message(info, errors.error);
  std::longjmp(errors.escape, 1);
}

void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;  // a trace message
  ErrorManager& errors = manager(info);
  if (errors.base.num_warnings++ == 0) errors.base.format_message(info, errors.warning);
}

void on_progress(j_common_ptr info) {
  const int scan = reinterpret_cast<j_decompress_ptr>(info)->input_scan_number;
  if (scan <= JpegReader::max_scans) return;
  ErrorManager& errors = manager(info);
  std::snprintf(errors.error, sizeof errors.error, "more than %d scans", JpegReader::max_scans);
  std::longjmp(errors.escape, 1);
}

/// One channel of inverted CMYK, rounded as Pillow and torchvision round it.
std::uint8_t inverted_ink_to_light(int ink, int black) {
  const int product = (255 - ink) * black + 128;
  return static_cast<std::uint8_t>(black - (((product >> 8) + product) >> 8));
}

void cmyk_row_to_rgb(const std::uint8_t* cmyk, std::uint8_t* rgb, int width) {
  for (int x = 0; x < width; ++x, cmyk += 4, rgb += 3)
    for (int channel = 0; channel < 3; ++channel) rgb[channel] = inverted_ink_to_light(cmyk[channel], cmyk[3]);
}

/// Columns or rows beside the crop that fancy upsampling looks at: one chroma sample, two pixels wide.
constexpr int neighbours = 2;
/// jpeg_crop_scanline changes the upsampling method where less than two chroma samples are left.
constexpr int least_width = 64;

/// What of the picture is decoded, in decoded pixels; with `whole` all rows and columns.
struct Wanted {
  int left = 0;
  int columns = 0;
  int first = 0;  ///< row
  int last = 0;   ///< row, exclusive
  bool whole = false;
};

}  // namespace

/// Every function that calls setjmp holds only trivial locals, and so do BaselineScan's below them: a longjmp jumps over no
/// destructor. Each returns false with the text in errors.error, but where the scan gave up: then the text means nothing.
struct JpegReader::State {
  JpegWithoutMemory decompressor{};
  jpeg_decompress_struct& info = decompressor.info;
  ErrorManager errors{};
  jpeg_progress_mgr progress{};
  Huffman huffman = Huffman::ours;
  BaselineScan scan;
  std::span<const std::byte> encoded;
  ScratchBuffer pixels;
  ScratchBuffer cmyk;
  JDIMENSION left = 0;    ///< of the decoded columns
  JDIMENSION width = 0;

  bool create() {
    info.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = on_error;
    errors.base.emit_message = on_message;
    if (setjmp(errors.escape) != 0) return false;
    jpeg_create_decompress(&info);
    progress.progress_monitor = on_progress;
    info.progress = &progress;
    decompressor.begin();
    return true;
  }

  bool read_header() {
    if (setjmp(errors.escape) != 0) return false;
    jpeg_abort_decompress(&info);
    decompressor.forget_tables();
    errors.base.num_warnings = 0;
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size());
    jpeg_read_header(&info, TRUE);
    return true;
  }

  /// `by_libjpeg`: all of the decoding is left to libjpeg.
  bool start(int crop_left, int crop_width, bool all_columns, int eighths, bool by_libjpeg) {
    if (setjmp(errors.escape) != 0) return false;
    info.out_color_space = is_cmyk() ? JCS_CMYK : JCS_RGB;
    info.scale_num = static_cast<unsigned>(eighths);
    info.scale_denom = 8;
    jpeg_start_decompress(&info);
    left = 0;
    width = info.output_width;
    if (!all_columns) crop_columns(crop_left, crop_width);
    if (!by_libjpeg) scan.take_over(info, left, width, eighths);
    return true;
  }

  void crop_columns(int crop_left, int crop_width) {
    const int image_width = static_cast<int>(info.output_width);
    int first = std::max(0, crop_left - neighbours);
    const int last = std::min(image_width, std::max(crop_left + crop_width + neighbours, first + least_width));
    first = std::max(0, std::min(first, last - least_width));
    left = static_cast<JDIMENSION>(first);
    width = static_cast<JDIMENSION>(last - first);
    jpeg_crop_scanline(&info, &left, &width);
  }

  bool read_rows(int first, int last, std::uint8_t* rgb, std::uint8_t* cmyk_rows) {
    if (setjmp(errors.escape) != 0) return false;
    const std::size_t row_bytes = std::size_t{info.output_width} * 3;
    if (first > 0) jpeg_skip_scanlines(&info, static_cast<JDIMENSION>(first));
    for (int row = first; row < last;) {
      JSAMPROW rows[rows_at_once];
      const int wanted = std::min(rows_at_once, last - row);
      for (int i = 0; i < wanted; ++i)
        rows[i] = cmyk_rows != nullptr ? cmyk_rows + static_cast<std::size_t>(i) * info.output_width * 4
                                       : rgb + static_cast<std::size_t>(row - first + i) * row_bytes;
      const int got = static_cast<int>(jpeg_read_scanlines(&info, rows, static_cast<JDIMENSION>(wanted)));
      if (cmyk_rows != nullptr)
        for (int i = 0; i < got; ++i)
          cmyk_row_to_rgb(rows[i], rgb + static_cast<std::size_t>(row - first + i) * row_bytes,
                          static_cast<int>(info.output_width));
      row += got;
    }
    // What is left of the file is not decoded; libjpeg's memory of this image goes back.
    jpeg_abort_decompress(&info);
    return true;
  }

  /// The wanted rows of all decoded columns, or null with the text in errors.error.
  std::uint8_t* read_pixels(const Wanted& wanted, int eighths, bool by_libjpeg) {
    if (!start(wanted.left, wanted.columns, wanted.whole, eighths, by_libjpeg)) return nullptr;
    const int last = wanted.whole ? static_cast<int>(info.output_height) : wanted.last;
    const std::size_t row_pixels = info.output_width;
    const auto room = pixels.take(row_pixels * 3 * static_cast<std::size_t>(last - wanted.first));
    auto* rgb = reinterpret_cast<std::uint8_t*>(room.data());
    std::uint8_t* cmyk_rows = nullptr;
    if (is_cmyk()) cmyk_rows = reinterpret_cast<std::uint8_t*>(cmyk.take(row_pixels * 4 * rows_at_once).data());
    return read_rows(wanted.first, last, rgb, cmyk_rows) ? rgb : nullptr;
  }

  bool is_cmyk() const { return info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK; }
  [[noreturn]] void fail() const { throw ImageError(errors.error); }

  static constexpr int rows_at_once = 16;
};

JpegReader::JpegReader(Huffman huffman) : state_(std::make_unique<State>()) {
  state_->huffman = huffman;
  if (!state_->create()) state_->fail();
}

JpegReader::~JpegReader() { jpeg_destroy_decompress(&state_->info); }

ImageSize JpegReader::read_header(std::span<const std::byte> encoded) {
  State& state = *state_;
  state.encoded = encoded;
  if (!state.read_header()) state.fail();
  const ImageSize size{static_cast<int>(state.info.image_width), static_cast<int>(state.info.image_height)};
  check_limits(size);
  const int components = state.info.num_components;
  if (components != 1 && components != 3 && components != 4)
    throw ImageError(fmt::format("jpeg with {} components, want 1, 3 or 4", components));
  return size;
}

DecodedImage JpegReader::decode(const CropBox& crop, Extent extent, int eighths) {
  State& state = *state_;
  const bool whole = extent == Extent::whole;
  // The decoded pixels that the crop touches.
  const auto scaled = [eighths](int begin, int length) {
    const int first = begin * eighths / 8;
    return std::pair(first, ((begin + length) * eighths + 7) / 8 - first);
  };
  const auto [left, columns] = scaled(crop.left, crop.width);
  const auto [top, rows] = scaled(crop.top, crop.height);
  const Wanted wanted{.left = left, .columns = columns, .first = whole ? 0 : top, .last = top + rows, .whole = whole};
  state.scan.reset();
  std::uint8_t* rgb = state.read_pixels(wanted, eighths, whole || state.huffman == Huffman::libjpegs);
  if (rgb == nullptr && state.scan.gave_up()) {
    if (!state.read_header()) state.fail();
    rgb = state.read_pixels(wanted, eighths, true);
  }
  if (rgb == nullptr) state.fail();
  const std::size_t width = state.info.output_width;
  const int first = wanted.first;

  DecodedImage image;
  image.row_bytes = width * 3;
  image.pixels = rgb + static_cast<std::size_t>(top - first) * image.row_bytes +
                 (static_cast<std::size_t>(left) - state.left) * 3;
  image.width = columns;
  image.height = rows;
  if (eighths != 8) {
    const double scale = eighths / 8.0;
    image.across = {crop.left * scale - left, crop.width * scale};
    image.down = {crop.top * scale - top, crop.height * scale};
  }
  if (state.errors.base.num_warnings > 0) image.warning = state.errors.warning;
  return image;
}

}  // namespace feedtune
