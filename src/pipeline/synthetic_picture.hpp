#pragma once
// Pictures with the statistics of photographs, made in integer arithmetic: objects with edges that cover one another, a
// texture with a 1/f spectrum whose strength varies over the picture (sky and foliage), smooth colour, and sensor
// grain.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace feedtune {

/// One channel, row-major, without padding.
struct SyntheticPlane {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> values;

  const std::uint8_t* row(int y) const {
    return values.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
  }
};

enum class SyntheticColour {
  none,  ///< luma only
  half,  ///< chroma planes of half the width and height (rounded up)
  full,
};

/// YCbCr as in JFIF.
struct SyntheticPicture {
  SyntheticPlane y, cb, cr;
};

/// Draws pictures; keeps its buffers, so that repeated use allocates little. One per thread.
class SyntheticPainter {
 public:
  SyntheticPainter();
  ~SyntheticPainter();
  /// Valid until the next call. `detail` scales texture and grain: 256 makes about 4 bits a pixel at JPEG quality 92.
  const SyntheticPicture& paint(std::uint64_t seed, int width, int height, int detail, SyntheticColour colour);

 private:
  struct Canvas;
  std::unique_ptr<Canvas> canvas_;
  SyntheticPicture picture_;
};

}  // namespace feedtune
