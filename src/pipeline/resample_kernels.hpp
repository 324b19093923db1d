#pragma once
// The inner loops of the transform, in SIMD for the CPU that they run on. All sums are of whole numbers (see
// ResizeWeights), so every CPU gives the same bits.

#include <cstdint>
#include <string>

namespace feedtune {

/// out[i] = the weighted sum of rows[k][i] over k < 2 * pairs, rounded to a whole number 0..255, for i < values.
/// Weights as ResizeWeights makes them. Reads no row beyond `values`.
void blend_rows(const std::uint8_t* const* rows, const std::int16_t* weights, int pairs, int values, std::uint8_t* out);

/// For each of `pixels` outputs the weighted sum of 2 * pairs RGB pixels of `row` from first[x] on, rounded, to
/// rgbx[4 * x + channel] (the fourth is unspecified). Weights of output x at weights + x * 2 * pairs. `row` must be
/// readable `columns_overread(pairs)` bytes beyond its last pixel (what is there doesn't matter).
void blend_columns(const std::uint8_t* row, const std::int32_t* first, const std::int16_t* weights, int pairs,
                   int pixels, std::uint8_t* rgbx);
constexpr int columns_overread(int pairs) { return 6 * pairs + 16; }

/// The three channels of `rgbx` to planes, as they are.
void split_planes(const std::uint8_t* rgbx, int pixels, std::uint8_t* red, std::uint8_t* green, std::uint8_t* blue);

/// (value / 255 - mean) / std of one channel, in single precision as torchvision's ToTensor and Normalize compute it;
/// to half precision by rounding that to the nearest, ties to even.
void normalise(const std::uint8_t* values, int count, int channel, float* out);
void normalise(const std::uint8_t* values, int count, int channel, std::uint16_t* half_out);

/// The instruction set in use: "AVX2", "NEON", ...
std::string kernel_target();
/// Highway's version and that: "1.0.3 (AVX2)".
std::string kernel_library();

/// ImageNet's, of red, green and blue, as torchvision's models take them.
inline constexpr float channel_mean[] = {0.485f, 0.456f, 0.406f};
inline constexpr float channel_std[] = {0.229f, 0.224f, 0.225f};

}  // namespace feedtune
