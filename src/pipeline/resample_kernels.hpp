#pragma once
// The inner loops of the transform. All arithmetic on pixels is exact (see ResizeWeights), so every version of a kernel
// gives the same bits.

#include <cstdint>

namespace feedtune {

/// out[i] = the weighted sum of rows[k][i] over k, rounded to a whole number 0..255, for i < values.
void blend_rows(const std::uint8_t* const* rows, const float* weights, int count, int values, float* out);

/// One output pixel's taps.
struct ColumnTaps {
  int first;             ///< pixel of the row
  int count;
  const float* weights;
};

/// For each of `pixels` outputs the weighted sum of `row`'s RGB pixels, rounded, to out[4 * x + channel] (the fourth is
/// unspecified). `row` must be readable one value beyond its last pixel.
void blend_columns(const float* row, const ColumnTaps* taps, int pixels, float* out);

/// The three channels of `rgbx` to planes, as they are.
void store_uint8(const float* rgbx, int pixels, std::uint8_t* red, std::uint8_t* green, std::uint8_t* blue);

/// (value / 255 - mean) / std of each channel, in single precision as torchvision's ToTensor and Normalize compute it.
void store_normalised(const float* rgbx, int pixels, float* red, float* green, float* blue);

/// ImageNet's, of red, green and blue, as torchvision's models take them.
inline constexpr float channel_mean[] = {0.485f, 0.456f, 0.406f};
inline constexpr float channel_std[] = {0.229f, 0.224f, 0.225f};

}  // namespace feedtune
