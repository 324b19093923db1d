#include "pipeline/synthetic_plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "pipeline/synthetic_random.hpp"

namespace feedtune {
namespace {

/// A natural logarithm as a binary one.
consteval Q16 log2_of(double natural) { return q16(natural * 1.4426950408889634); }

/// Median 1: e^(sigma * normal).
Q16 log_normal(SyntheticRandom& random, Q16 log2_sigma) {
  const std::int64_t exponent = std::int64_t{random.normal()} * log2_sigma >> 16;
  return exp2_q16(static_cast<Q16>(exponent));
}

void draw_size(SyntheticRandom& random, SyntheticPlan& plan) {
  constexpr int landscape_heights[] = {333, 334, 332, 400, 281};
  const int draw = random.below(100);
  const int choice = random.below(5);
  const Q16 aspect = log_normal(random, log2_of(0.125));  // of one side: the aspect ratio's own sigma is twice this
  const Q16 side = log_normal(random, log2_of(0.45));
  if (draw < 52) {
    plan.width = 500, plan.height = 375;
  } else if (draw < 64) {
    plan.width = 375, plan.height = 500;
  } else if (draw < 74) {
    plan.width = 500, plan.height = landscape_heights[choice];
  } else if (draw < 78) {
    plan.width = 333 + choice % 3, plan.height = 500;
  } else {
    const std::int64_t pixels = std::clamp<std::int64_t>(std::int64_t{430} * side >> 16, 220, 900);
    plan.width = static_cast<int>(std::clamp<std::int64_t>(pixels * aspect >> 16, 200, 1200));
    plan.height = static_cast<int>(std::clamp<std::int64_t>((pixels << 16) / aspect, 200, 1200));
  }
}

SyntheticKind draw_kind(SyntheticRandom& random) {
  const int draw = random.below(1000);
  if (draw < 100) return SyntheticKind::s444;
  if (draw < 130) return SyntheticKind::s422;
  if (draw < 160) return SyntheticKind::grey;
  if (draw < 165) return SyntheticKind::cmyk;
  if (draw < 200) return SyntheticKind::progressive;
  return SyntheticKind::s420;
}

}  // namespace

const char* to_text(SyntheticKind kind) {
  switch (kind) {
    case SyntheticKind::s420: return "420";
    case SyntheticKind::s422: return "422";
    case SyntheticKind::s444: return "444";
    case SyntheticKind::grey: return "grey";
    case SyntheticKind::cmyk: return "cmyk";
    case SyntheticKind::progressive: return "prog";
  }
  return "?";
}

SyntheticPlan synthetic_plan(std::uint64_t seed, int index, int classes) {
  SyntheticRandom random(SyntheticRandom(seed).next() ^ static_cast<std::uint64_t>(index) * 0xD1342543DE82EF95u);
  SyntheticPlan plan;
  plan.kind = draw_kind(random);
  draw_size(random, plan);
  // A fourth channel, all at full size: photographs take about a third more.
  const Q16 median_bits_per_pixel = plan.kind == SyntheticKind::cmyk ? q16(5.8) : q16(4.3);
  const Q16 unlike_median = log_normal(random, log2_of(0.32));
  const Q16 bits_per_pixel = static_cast<Q16>(std::int64_t{median_bits_per_pixel} * unlike_median >> 16);
  plan.target_bytes = static_cast<int>(std::int64_t{plan.width} * plan.height * bits_per_pixel >> 19);
  const Q16 unlike = log_normal(random, log2_of(0.2));
  plan.detail = static_cast<int>((std::int64_t{unlike_median} * unlike >> 16) * 320 >> 16);
  plan.seed = random.next();
  plan.name = fmt::format("n{:08d}/{:05d}_{}.jpg", index % classes, index, to_text(plan.kind));
  return plan;
}

}  // namespace feedtune
