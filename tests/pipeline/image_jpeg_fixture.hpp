#pragma once
// Test pictures made from formulas, encoded by libjpeg.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

namespace feedtune::test {

struct JpegKind {
  enum class Colour { ycc, rgb, grey, cmyk, ycck };
  int width = 64;
  int height = 48;
  Colour colour = Colour::ycc;
  int horizontal = 2;  ///< sampling factors of the first component; the others' are 1
  int vertical = 2;
  int quality = 90;
  bool progressive = false;
  bool adobe_marker = true;  ///< CMYK only
  int restart_rows = 0;
  int restart_mcus = 0;   ///< where restart_rows is 0
  bool optimised = false; ///< Huffman tables made for the picture
  unsigned seed = 1;
};

/// A picture with smooth parts, edges and noise, so that no pixel equals its neighbours by chance.
std::vector<std::byte> make_jpeg(const JpegKind& kind);

/// What libjpeg itself makes of a whole file, with nothing of ours in between. RGB but for CMYK and YCCK files.
struct PlainDecode {
  std::vector<std::uint8_t> pixels;
  std::string warning;  ///< the first
  std::string error;    ///< where it stopped
};
PlainDecode decode_by_libjpeg(std::span<const std::byte> encoded);

std::span<const std::byte> bytes_of(const std::string& text);

}  // namespace feedtune::test
