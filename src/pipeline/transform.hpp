#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/enums.hpp"
#include "pipeline/decoder.hpp"
#include "pipeline/resize_weights.hpp"
#include "pipeline/row_pool.hpp"

namespace feedtune {

/// What a transform makes of every image.
struct TransformOptions {
  int side = 224;                            ///< of the square output, pixels
  InputType output = InputType::uint8;       ///< uint8: 0..255; floats: normalised with ImageNet's mean and deviation
  Resize resize = Resize::antialias;
  int threads = 1;                           ///< that split the output's rows
};

/// Crop -> resize -> flip -> planes, one output row at a time: the rows that it blends, then the columns, then the
/// planes, all in the first cache level. Rounded to 8 bits after each of the first two, as torchvision's resize of uint8
/// images does (columns first there). Each worker owns one; not thread-safe. Allocates nothing once it has seen the
/// largest crop. The output depends on the options and the pixels alone, not on the threads or the machine.
class Transform {
 public:
  explicit Transform(const TransformOptions& options);

  std::size_t output_bytes() const;
  /// `destination`: 3 x side x side values, planar, aligned for their type.
  void apply(const DecodedImage& image, bool flip, std::span<std::byte> destination);

 private:
  struct Scratch {
    std::vector<const std::uint8_t*> rows;
    std::vector<std::uint8_t> blended;  ///< one row of the crop's width, RGB
    std::vector<std::uint8_t> resized;  ///< one row of the output's width, four bytes a pixel
    std::vector<std::uint8_t> planes;   ///< one row of each channel
  };
  void apply_rows(const DecodedImage& image, int begin, int end, Scratch& scratch, std::byte* destination) const;
  void store(Scratch& scratch, int row, std::byte* destination) const;

  TransformOptions options_;
  RowPool pool_;
  ResizeWeights row_weights_;
  ResizeWeights column_weights_;
  std::vector<Scratch> scratch_;  ///< one a thread
};

}  // namespace feedtune
