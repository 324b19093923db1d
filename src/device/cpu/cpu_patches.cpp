#include <array>
#include <cassert>
#include <cstring>

#include "device/cpu/cpu_functions.hpp"
#include "device/cpu/cpu_math.hpp"
#include "device/cpu/cpu_parallel.hpp"
#include "device/cpu/cpu_tensor.hpp"

namespace feedtune {
using namespace cpu;

namespace {

// ImageNet's channel means and standard deviations in units of 1/255, as torchvision's reference training uses them.
constexpr std::array<float, 3> mean = {0.485f, 0.456f, 0.406f};
constexpr std::array<float, 3> deviation = {0.229f, 0.224f, 0.225f};

struct CopyFloat {
  FEEDTUNE_INLINE void operator()(const float* from, float* to, int count, int) const {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
  }
};

struct WidenHalf {
  FEEDTUNE_INLINE void operator()(const std::uint16_t* from, float* to, int count, int) const {
#pragma omp simd
    for (int i = 0; i < count; ++i) to[i] = from_half(from[i]);
  }
};

struct NormaliseByte {
  FEEDTUNE_INLINE void operator()(const std::uint8_t* from, float* to, int count, int channel) const {
    const float scale = 1.0f / (255.0f * deviation[static_cast<std::size_t>(channel)]);
    const float shift = -mean[static_cast<std::size_t>(channel)] / deviation[static_cast<std::size_t>(channel)];
#pragma omp simd
    for (int i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]) * scale + shift;
  }
};

/// One unit of work is a row of patches of one channel: it reads `patch` whole rows of the image.
template <class Value, class Convert>
void extract(const Value* input, float* patches, std::int64_t batch, int side, int patch, int threads, Convert convert) {
  const std::int64_t per_side = side / patch;
  const std::int64_t values_per_patch = 3 * static_cast<std::int64_t>(patch) * patch;
  const auto body = [=](std::int64_t begin, std::int64_t end, int) FEEDTUNE_INLINE {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t image = unit / (3 * per_side);
      const std::int64_t patch_row = unit / 3 % per_side;
      const int channel = static_cast<int>(unit % 3);
      const Value* rows = input + ((image * 3 + channel) * side + patch_row * patch) * side;
      float* out = patches + (image * per_side + patch_row) * per_side * values_per_patch + channel * patch * patch;
      for (int y = 0; y < patch; ++y)
        for (std::int64_t p = 0; p < per_side; ++p)
          convert(rows + y * side + p * patch, out + p * values_per_patch + y * patch, patch, channel);
    }
  };
  const std::int64_t units = batch * 3 * per_side;
  parallel_rows(units, parts_of(units, static_cast<std::int64_t>(side) * patch, threads), body);
}

}  // namespace

void CpuMath::extract_patches(Stream&, const Tensor& input, const Tensor& patches, std::int64_t batch, int side,
                              int patch) {
  assert(side % patch == 0 && holds(input, batch * 3, static_cast<std::int64_t>(side) * side));
  assert(holds(patches, batch * 3, static_cast<std::int64_t>(side) * side));
  float* out = floats(patches);
  switch (input.element) {
    case Element::u8:
      return extract(reinterpret_cast<const std::uint8_t*>(input.address), out, batch, side, patch, threads_,
                     NormaliseByte{});
    case Element::f16:
      return extract(reinterpret_cast<const std::uint16_t*>(input.address), out, batch, side, patch, threads_,
                     WidenHalf{});
    case Element::f32:
      return extract(reinterpret_cast<const float*>(input.address), out, batch, side, patch, threads_, CopyFloat{});
    case Element::bf16: break;
  }
  assert(false && "no input type is bf16");
}

}  // namespace feedtune
