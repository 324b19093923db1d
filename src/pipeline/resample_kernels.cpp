// Compiled once for each instruction set that Highway serves on this architecture; the best that the CPU has is chosen
// at the first call. The scalable sets (SVE, RVV) are left out, since the interleaving below counts on 16-byte blocks:
// such machines run NEON or the portable code.
#include "pipeline/resample_kernels.hpp"

#include <fmt/format.h>

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/resample_kernels.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include "pipeline/resize_weights.hpp"

HWY_BEFORE_NAMESPACE();
namespace feedtune {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int32_t half = ResizeWeights::weight_sum / 2;

HWY_INLINE std::uint8_t blend_one(const std::uint8_t* const* rows, const std::int16_t* weights, int pairs, int at) {
  std::int32_t sum = half;
  for (int k = 0; k < 2 * pairs; ++k) sum += weights[k] * rows[k][at];
  return static_cast<std::uint8_t>(sum >> ResizeWeights::weight_bits);
}

HWY_INLINE void split_one(const std::uint8_t* rgbx, int x, std::uint8_t* red, std::uint8_t* green, std::uint8_t* blue) {
  red[x] = rgbx[4 * x];
  green[x] = rgbx[4 * x + 1];
  blue[x] = rgbx[4 * x + 2];
}

#if HWY_TARGET == HWY_SCALAR

void BlendRows(const std::uint8_t* const* rows, const std::int16_t* weights, int pairs, int values, std::uint8_t* out) {
  for (int at = 0; at < values; ++at) out[at] = blend_one(rows, weights, pairs, at);
}

void BlendColumns(const std::uint8_t* row, const std::int32_t* first, const std::int16_t* weights, int pairs, int pixels,
                  std::uint8_t* rgbx) {
  for (int x = 0; x < pixels; ++x, weights += 2 * pairs) {
    const std::uint8_t* input = row + 3 * first[x];
    for (int channel = 0; channel < 3; ++channel) {
      std::int32_t sum = half;
      for (int k = 0; k < 2 * pairs; ++k) sum += weights[k] * input[3 * k + channel];
      rgbx[4 * x + channel] = static_cast<std::uint8_t>(sum >> ResizeWeights::weight_bits);
    }
  }
}

void SplitPlanes(const std::uint8_t* rgbx, int pixels, std::uint8_t* red, std::uint8_t* green, std::uint8_t* blue) {
  for (int x = 0; x < pixels; ++x) split_one(rgbx, x, red, green, blue);
}

#else

// Two weights side by side, for instructions that multiply pairs and add them.
HWY_INLINE std::int32_t weight_pair(const std::int16_t* weights) {
  std::int32_t pair;
  hwy::CopyBytes<sizeof pair>(weights, &pair);
  return pair;
}

// `fixed_pairs` > 0 tells the compiler the number of pairs.
template <int fixed_pairs>
HWY_INLINE void blend_row_blocks(const std::uint8_t* const* rows, const std::int16_t* weights, int any_pairs, int values,
                                 std::uint8_t* out) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const int pairs = fixed_pairs > 0 ? fixed_pairs : any_pairs;
  const int lanes = static_cast<int>(hn::Lanes(d16));
  if (values < lanes) {
    for (int at = 0; at < values; ++at) out[at] = blend_one(rows, weights, pairs, at);
    return;
  }
  // The last block ends at the end and may do some values twice.
  for (int at = 0;; at = at + 2 * lanes <= values ? at + lanes : values - lanes) {
    auto low = hn::Set(d32, half), high = low, low_odd = hn::Zero(d32), high_odd = low_odd;
    for (int pair = 0; pair < pairs; ++pair) {
      const auto weight = hn::BitCast(d16, hn::Set(d32, weight_pair(weights + 2 * pair)));
      const auto a = hn::PromoteTo(d16, hn::LoadU(d8, rows[2 * pair] + at));
      const auto b = hn::PromoteTo(d16, hn::LoadU(d8, rows[2 * pair + 1] + at));
      low = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d16, a, b), weight, low, low_odd);
      high = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d16, a, b), weight, high, high_odd);
    }
    low = hn::ShiftRight<ResizeWeights::weight_bits>(hn::RearrangeToOddPlusEven(low, low_odd));
    high = hn::ShiftRight<ResizeWeights::weight_bits>(hn::RearrangeToOddPlusEven(high, high_odd));
    hn::StoreU(hn::DemoteTo(d8, hn::ReorderDemote2To(d16, low, high)), d8, out + at);
    if (at + lanes >= values) return;
  }
}

void BlendRows(const std::uint8_t* const* rows, const std::int16_t* weights, int pairs, int values, std::uint8_t* out) {
  switch (pairs) {
    case 1: return blend_row_blocks<1>(rows, weights, pairs, values, out);
    case 2: return blend_row_blocks<2>(rows, weights, pairs, values, out);
    case 3: return blend_row_blocks<3>(rows, weights, pairs, values, out);
    default: return blend_row_blocks<0>(rows, weights, pairs, values, out);
  }
}

using Bytes = hn::FixedTag<std::uint8_t, 16>;
using Shorts = hn::FixedTag<std::int16_t, 8>;
using Sums = hn::FixedTag<std::int32_t, 4>;

// Of four RGB pixels the first or the last two, as 16-bit pairs: r0 r1, g0 g1, b0 b1, 0 0.
alignas(16) constexpr std::uint8_t first_two[16] = {0, 128, 3, 128, 1, 128, 4, 128, 2, 128, 5, 128, 128, 128, 128, 128};
alignas(16) constexpr std::uint8_t last_two[16] = {6, 128, 9, 128, 7, 128, 10, 128, 8, 128, 11, 128, 128, 128, 128, 128};

template <int fixed_pairs>
HWY_INLINE hn::Vec<Sums> blend_pixel(const std::uint8_t* input, const std::int16_t* weights, int any_pairs) {
  const Bytes d8;
  const Shorts d16;
  const Sums d32;
  const int pairs = fixed_pairs > 0 ? fixed_pairs : any_pairs;
  const auto low = hn::Load(d8, first_two);
  const auto high = hn::Load(d8, last_two);
  auto sum = hn::Set(d32, half), odd = hn::Zero(d32);
  for (int pair = 0; pair < pairs; pair += 2) {
    const auto four = hn::LoadU(d8, input + 6 * pair);
    const auto weight = hn::BitCast(d16, hn::Set(d32, weight_pair(weights + 2 * pair)));
    sum = hn::ReorderWidenMulAccumulate(d32, hn::BitCast(d16, hn::TableLookupBytesOr0(four, low)), weight, sum, odd);
    if (pair + 1 == pairs) break;
    const auto next = hn::BitCast(d16, hn::Set(d32, weight_pair(weights + 2 * pair + 2)));
    sum = hn::ReorderWidenMulAccumulate(d32, hn::BitCast(d16, hn::TableLookupBytesOr0(four, high)), next, sum, odd);
  }
  return hn::ShiftRight<ResizeWeights::weight_bits>(hn::RearrangeToOddPlusEven(sum, odd));
}

template <int fixed_pairs>
HWY_INLINE void blend_pixels(const std::uint8_t* row, const std::int32_t* first, const std::int16_t* weights,
                             int any_pairs, int pixels, std::uint8_t* rgbx) {
  const Shorts d16;
  const hn::FixedTag<std::uint8_t, 8> d8;
  const int pairs = fixed_pairs > 0 ? fixed_pairs : any_pairs;
  int x = 0;
  for (; x + 2 <= pixels; x += 2, weights += 4 * pairs) {
    const auto one = blend_pixel<fixed_pairs>(row + 3 * first[x], weights, pairs);
    const auto two = blend_pixel<fixed_pairs>(row + 3 * first[x + 1], weights + 2 * pairs, pairs);
    hn::StoreU(hn::DemoteTo(d8, hn::ReorderDemote2To(d16, one, two)), d8, rgbx + 4 * x);
  }
  if (x < pixels) {
    const auto one = blend_pixel<fixed_pairs>(row + 3 * first[x], weights, pairs);
    const hn::FixedTag<std::uint8_t, 4> d4;
    hn::StoreU(hn::DemoteTo(d4, one), d4, rgbx + 4 * x);
  }
}

void BlendColumns(const std::uint8_t* row, const std::int32_t* first, const std::int16_t* weights, int pairs, int pixels,
                  std::uint8_t* rgbx) {
  switch (pairs) {
    case 1: return blend_pixels<1>(row, first, weights, pairs, pixels, rgbx);
    case 2: return blend_pixels<2>(row, first, weights, pairs, pixels, rgbx);
    case 3: return blend_pixels<3>(row, first, weights, pairs, pixels, rgbx);
    default: return blend_pixels<0>(row, first, weights, pairs, pixels, rgbx);
  }
}

void SplitPlanes(const std::uint8_t* rgbx, int pixels, std::uint8_t* red, std::uint8_t* green, std::uint8_t* blue) {
  const hn::ScalableTag<std::uint8_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  if (pixels < lanes) {
    for (int x = 0; x < pixels; ++x) split_one(rgbx, x, red, green, blue);
    return;
  }
  for (int x = 0;; x = x + 2 * lanes <= pixels ? x + lanes : pixels - lanes) {
    hn::Vec<decltype(d)> r, g, b, unused;
    hn::LoadInterleaved4(d, rgbx + 4 * x, r, g, b, unused);
    hn::StoreU(r, d, red + x);
    hn::StoreU(g, d, green + x);
    hn::StoreU(b, d, blue + x);
    if (x + lanes >= pixels) return;
  }
}

#endif  // HWY_SCALAR

/// Calls store(x, values) for each vector of normalised values, or of one value at a time where there are fewer than a
/// vector.
template <class Tag, class Store>
HWY_INLINE void for_normalised(Tag d, const std::uint8_t* values, int begin, int count, int channel, const Store& store) {
  const hn::RebindToSigned<Tag> d32;
  const hn::Rebind<std::uint8_t, Tag> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto full = hn::Set(d, 255.0F), mean = hn::Set(d, channel_mean[channel]), deviation = hn::Set(d, channel_std[channel]);
  for (int x = begin; x + lanes <= count; x += lanes) {
    const auto value = hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, values + x)));
    store(d, x, hn::Div(hn::Sub(hn::Div(value, full), mean), deviation));
  }
}

template <class Store>
HWY_INLINE void normalise_all(const std::uint8_t* values, int count, int channel, const Store& store) {
  const hn::ScalableTag<float> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for_normalised(d, values, 0, count, channel, store);
  for_normalised(hn::FixedTag<float, 1>(), values, count - count % lanes, count, channel, store);
}

void NormaliseFloat(const std::uint8_t* values, int count, int channel, float* out) {
  normalise_all(values, count, channel, [out](auto d, int x, auto value) HWY_ATTR { hn::StoreU(value, d, out + x); });
}

// To half precision, to the nearest, ties to even. Highway's own conversion truncates where the CPU has none.
template <class Tag>
HWY_INLINE void store_half([[maybe_unused]] Tag d, hn::Vec<Tag> value, std::uint16_t* out) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const hn::Rebind<hwy::float16_t, Tag> d16;
  hn::StoreU(hn::DemoteTo(d16, value), d16, reinterpret_cast<hwy::float16_t*>(out));
#else
  // Normalised values are normal numbers in both formats: their size is between 2^-8 and 4.
  const hn::RebindToSigned<Tag> d32;
  const hn::Rebind<std::uint16_t, Tag> d16;
  const auto bits = hn::BitCast(d32, value);
  const auto size = hn::And(bits, hn::Set(d32, 0x7FFFFFFF));
  const auto odd = hn::And(hn::ShiftRight<13>(bits), hn::Set(d32, 1));
  const auto rounded = hn::ShiftRight<13>(hn::Add(hn::Add(size, odd), hn::Set(d32, 0xFFF - (112 << 23))));
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 0x8000));
  hn::StoreU(hn::DemoteTo(d16, hn::Or(rounded, sign)), d16, out);
#endif
}

void NormaliseHalf(const std::uint8_t* values, int count, int channel, std::uint16_t* out) {
  normalise_all(values, count, channel, [out](auto d, int x, auto value) HWY_ATTR { store_half(d, value, out + x); });
}

std::int64_t Target() { return HWY_TARGET; }

}  // namespace HWY_NAMESPACE
}  // namespace feedtune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace feedtune {

HWY_EXPORT(BlendRows);
HWY_EXPORT(BlendColumns);
HWY_EXPORT(SplitPlanes);
HWY_EXPORT(NormaliseFloat);
HWY_EXPORT(NormaliseHalf);
HWY_EXPORT(Target);

void blend_rows(const std::uint8_t* const* rows, const std::int16_t* weights, int pairs, int values, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(BlendRows)(rows, weights, pairs, values, out);
}

void blend_columns(const std::uint8_t* row, const std::int32_t* first, const std::int16_t* weights, int pairs,
                   int pixels, std::uint8_t* rgbx) {
  HWY_DYNAMIC_DISPATCH(BlendColumns)(row, first, weights, pairs, pixels, rgbx);
}

void split_planes(const std::uint8_t* rgbx, int pixels, std::uint8_t* red, std::uint8_t* green, std::uint8_t* blue) {
  HWY_DYNAMIC_DISPATCH(SplitPlanes)(rgbx, pixels, red, green, blue);
}

void normalise(const std::uint8_t* values, int count, int channel, float* out) {
  HWY_DYNAMIC_DISPATCH(NormaliseFloat)(values, count, channel, out);
}

void normalise(const std::uint8_t* values, int count, int channel, std::uint16_t* half_out) {
  HWY_DYNAMIC_DISPATCH(NormaliseHalf)(values, count, channel, half_out);
}

std::string kernel_library() { return fmt::format("{}.{}.{} ({})", HWY_MAJOR, HWY_MINOR, HWY_PATCH, kernel_target()); }

std::string kernel_target() { return hwy::TargetName(HWY_DYNAMIC_DISPATCH(Target)()); }

}  // namespace feedtune
#endif
