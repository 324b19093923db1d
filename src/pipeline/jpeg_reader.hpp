#pragma once
#include <memory>

#include "pipeline/decoder.hpp"

namespace feedtune {

/// libjpeg behind a C++ face: its errors become ImageError with libjpeg's text, its first warning is kept. Grey, YCbCr,
/// RGB, CMYK and YCCK become RGB. CMYK values are taken as inverted whether or not an Adobe marker says so, as
/// torchvision, Pillow and OpenCV do. Decoding is libjpeg's default (slow integer DCT, fancy upsampling), as theirs is.
class JpegReader {
 public:
  /// More scans than this fail: a progressive file may ask for any number of passes over all of its pixels.
  static constexpr int max_scans = 100;

  enum class Extent {
    whole,        ///< decode everything, then point at the crop; by libjpeg alone, as others' loaders do
    crop_only,    ///< decode the crop's rows and columns, and the few around them that its pixels depend on; the Huffman
                  ///< codes of baseline files by BaselineScan
  };

  enum class Huffman {
    ours,      ///< BaselineScan where the file is one for it and only the crop is wanted
    libjpegs,
  };

  explicit JpegReader(Huffman huffman = Huffman::ours);
  ~JpegReader();
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  ImageSize read_header(std::span<const std::byte> encoded);
  /// Equal pixels with either extent. With crop_only, damage below the crop goes unnoticed. `eighths` 4, 2 or 1: the
  /// picture is decoded at that many eighths of its size, each way.
  DecodedImage decode(const CropBox& crop, Extent extent, int eighths = 8);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace feedtune
