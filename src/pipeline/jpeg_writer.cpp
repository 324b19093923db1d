#include "pipeline/jpeg_writer.hpp"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <jpeglib.h>

#include "core/error.hpp"

namespace feedtune {

/// As in JpegReader: a function that calls setjmp holds only trivial locals.
struct JpegWriter::State {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  std::jmp_buf escape{};
  char error[JMSG_LENGTH_MAX] = "";
  unsigned char* bytes = nullptr;  ///< libjpeg's, by malloc
  unsigned long size = 0;

  static void on_error(j_common_ptr info) {
    State& state = *static_cast<State*>(info->client_data);
    state.errors.format_message(info, state.error);
    std::longjmp(state.escape, 1);
  }

  bool create() {
    info.err = jpeg_std_error(&errors);
    errors.error_exit = on_error;
    info.client_data = this;
    if (setjmp(escape) != 0) return false;
    jpeg_create_compress(&info);
    return true;
  }

  bool encode(const std::uint8_t* pixels, int width, int height, int quality) {
    if (setjmp(escape) != 0) {
      jpeg_abort_compress(&info);
      return false;
    }
    jpeg_mem_dest(&info, &bytes, &size);
    info.image_width = static_cast<JDIMENSION>(width);
    info.image_height = static_cast<JDIMENSION>(height);
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    info.dct_method = JDCT_ISLOW;
    info.optimize_coding = TRUE;
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
      JSAMPROW row = const_cast<JSAMPROW>(pixels + static_cast<std::size_t>(info.next_scanline) * 3 * info.image_width);
      jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    return true;
  }

  void forget() {
    std::free(bytes);
    bytes = nullptr;
    size = 0;
  }
};

JpegWriter::JpegWriter() : state_(std::make_unique<State>()) {
  if (!state_->create()) throw Error(std::string("libjpeg: ") + state_->error);
}

JpegWriter::~JpegWriter() {
  jpeg_destroy_compress(&state_->info);
  state_->forget();
}

std::span<const std::byte> JpegWriter::encode(const std::uint8_t* pixels, int width, int height, int quality) {
  state_->forget();
  if (!state_->encode(pixels, width, height, quality)) throw Error(std::string("libjpeg: ") + state_->error);
  return {reinterpret_cast<const std::byte*>(state_->bytes), state_->size};
}

}  // namespace feedtune
