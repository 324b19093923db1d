// Compiled with -ffp-contract=off: a fused multiply-add would round otherwise than the machines that lack it.
#include "pipeline/crop.hpp"

#include <algorithm>
#include <cmath>

#include "pipeline/hash.hpp"

namespace feedtune {
namespace {

constexpr double min_scale = 0.08;
constexpr double max_scale = 1.0;
constexpr double min_ratio = 3.0 / 4.0;
constexpr double max_ratio = 4.0 / 3.0;
constexpr double log_max_ratio = 0.28768207245178093;  // ln(4/3)

/// exp for |x| < 0.3, by its series to x^11 / 11!, whose rest is below 2^-53. The library's exp may differ in the last
/// bit from one machine to the next.
double exp_small(double x) {
  double sum = 1;
  for (int k = 11; k >= 1; --k) sum = 1 + x * sum / k;
  return sum;
}

/// Python's round(): halves to the even neighbour. nearbyint() would follow the thread's rounding mode.
int round_half_even(double x) {
  const double below = std::floor(x);
  const double rest = x - below;
  const auto whole = static_cast<int>(below);
  if (rest != 0.5) return rest < 0.5 ? whole : whole + 1;
  return whole % 2 == 0 ? whole : whole + 1;
}

}  // namespace

double RandomStream::uniform() {
  state_ += 0x9e3779b97f4a7c15u;
  return static_cast<double>(mix64(state_) >> 11) * 0x1p-53;
}

namespace crop_details {

CropSize drawn_size(ImageSize image, double area_draw, double ratio_draw) {
  const double area = static_cast<double>(image.width) * image.height;
  const double target_area = area * (min_scale + (max_scale - min_scale) * area_draw);
  const double ratio = exp_small(log_max_ratio * (2 * ratio_draw - 1));
  return {round_half_even(std::sqrt(target_area * ratio)), round_half_even(std::sqrt(target_area / ratio))};
}

CropBox central_crop(ImageSize image) {
  const double ratio = static_cast<double>(image.width) / image.height;
  int width = image.width;
  int height = image.height;
  if (ratio < min_ratio)
    height = round_half_even(width / min_ratio);
  else if (ratio > max_ratio)
    width = round_half_even(height * max_ratio);
  return {(image.width - width) / 2, (image.height - height) / 2, width, height};
}

int index_from(double draw, int count) { return std::min(static_cast<int>(draw * count), count - 1); }

}  // namespace crop_details

Augmentation augmentation(ImageSize image, std::uint64_t random) {
  RandomStream stream(random);
  Augmentation result;
  result.flip = stream.uniform() < 0.5;
  result.crop = random_resized_crop(image, stream);
  return result;
}

}  // namespace feedtune
