#pragma once
#include "device/cuda/kernels/kernel.hpp"

namespace feedtune::cuda {

FEEDTUNE_KERNEL float input_value(std::uint8_t x, int channel) {
  // ImageNet's mean and deviation, as torchvision's transforms use them.
  constexpr float mean[3] = {0.485f, 0.456f, 0.406f};
  constexpr float deviation[3] = {0.229f, 0.224f, 0.225f};
  return (static_cast<float>(x) / 255.0f - mean[channel]) / deviation[channel];
}
FEEDTUNE_KERNEL float input_value(float x, int) { return x; }
FEEDTUNE_KERNEL float input_value(Half x, int) { return __half2float(x); }

/// Input: NCHW images of 3 x side x side. Item: `Width` neighbouring values of a patch's row; patches
/// [batch * (side / patch)^2][channel][y][x]. `Width` divides `patch`.
template <class In, class Out, int Width>
struct ExtractPatches {
  const In* input;
  Out* patches;
  std::int64_t side, patch;
  FEEDTUNE_KERNEL void operator()(std::int64_t item) const {
    const std::int64_t across = side / patch, packs = patch / Width;
    std::int64_t rest = item;
    const std::int64_t x = rest % packs * Width;
    rest /= packs;
    const std::int64_t y = rest % patch;
    rest /= patch;
    const std::int64_t channel = rest % 3;
    rest /= 3;
    const std::int64_t px = rest % across;
    rest /= across;
    const std::int64_t py = rest % across;
    const std::int64_t image = rest / across;
    const std::int64_t from = ((image * 3 + channel) * side + py * patch + y) * side + px * patch + x;
    const auto packed = reinterpret_cast<const Pack<In, Width>*>(input)[from / Width];
    float values[Width];
    for (int k = 0; k < Width; ++k) values[k] = input_value(packed.value[k], static_cast<int>(channel));
    store<Width>(patches, item, values);
  }
};

}  // namespace feedtune::cuda
