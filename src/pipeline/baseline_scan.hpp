#pragma once
#include <array>
#include <cstdint>
#include <cstdio>

#include <jpeglib.h>

#include "pipeline/huffman_bits.hpp"
#include "pipeline/huffman_table.hpp"

namespace feedtune {

/// Takes the place of libjpeg's Huffman decoding in baseline files of one scan, which is most of what decoding them costs:
/// a coefficient a look-up, and blocks outside the wanted columns and rows are passed over, several coefficients a
/// look-up. Everything else stays libjpeg's. What is damaged is left to libjpeg: this gives up, and the image is decoded
/// again without it, so that its pixels and warnings are libjpeg's own.
class BaselineScan {
 public:
  /// Whether it can be used at all: libjpeg's own declarations were there to compile with, and this process's libjpeg is
  /// laid out as they say (looked at once, on a small picture). Safe from many threads.
  static bool available();

  /// After jpeg_start_decompress and jpeg_crop_scanline, with all of the file in the source's buffer; `left` and `width` in
  /// decoded pixels, `eighths` as in JpegReader. Uses info.client_data. Where it can't (progressive, arithmetic coding,
  /// several scans), nothing changes and it returns false.
  bool take_over(jpeg_decompress_struct& info, JDIMENSION left, JDIMENSION width, int eighths);
  /// It left through error_exit since reset().
  bool gave_up() const { return gave_up_; }
  void reset() { gave_up_ = false; }

 private:
  struct Block {
    const HuffmanTable* dc = nullptr;
    const HuffmanTable* ac = nullptr;
    int component = 0;
  };
  static boolean decode_mcu(j_decompress_ptr info, JBLOCKROW* blocks);
  bool decode(JBLOCKROW* blocks);
  [[gnu::always_inline]] inline bool decode_any(JBLOCKROW* blocks);
  bool decode_bmi2(JBLOCKROW* blocks);
  bool build_tables(const jpeg_decompress_struct& info);

  std::array<HuffmanTable, NUM_HUFF_TBLS> dc_;
  std::array<HuffmanTable, NUM_HUFF_TBLS> ac_;
  std::array<Block, D_MAX_BLOCKS_IN_MCU> blocks_;
  int block_count_ = 0;
  std::array<int, MAX_COMPS_IN_SCAN> last_dc_{};
  HuffmanBits bits_;
  unsigned columns_ = 0;  ///< MCUs in a row
  unsigned column_ = 0;
  unsigned first_column_ = 0;
  unsigned last_column_ = 0;
  unsigned restart_interval_ = 0;  ///< MCUs; 0: none
  unsigned until_restart_ = 0;
  int next_restart_ = 0;
  bool gave_up_ = false;
};

}  // namespace feedtune
