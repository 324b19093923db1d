// Resizing: checked against a plain implementation in doubles, written from Pillow's definition of the filter.

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <thread>

#include "pipeline/crop.hpp"
#include "pipeline/resample_kernels.hpp"
#include "pipeline/transform.hpp"

namespace feedtune {
namespace {

struct Picture {
  int width;
  int height;
  std::vector<std::uint8_t> pixels;
  DecodedImage image() const {
    return {
        .pixels = pixels.data(), .row_bytes = static_cast<std::size_t>(width) * 3, .width = width, .height = height};
  }
  int at(int x, int y, int c) const {
    return pixels[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 3 +
                  static_cast<std::size_t>(c)];
  }
};

Picture noise(int width, int height, std::uint64_t seed) {
  Picture picture{width, height, {}};
  RandomStream random(seed);
  for (int i = 0; i < width * height * 3; ++i)
    picture.pixels.push_back(static_cast<std::uint8_t>(random.uniform() * 256));
  return picture;
}

std::vector<std::byte> resized(const Picture& picture, const TransformOptions& options, bool flip) {
  Transform transform(options);
  std::vector<std::byte> output(transform.output_bytes());
  transform.apply(picture.image(), flip, output);
  return output;
}

/// A triangle of half-width `support` around each output's centre, cut at the borders and normalised: one row of
/// weights per output sample.
std::vector<std::vector<double>> dense_weights(int input, int output, bool antialias) {
  const double scale = static_cast<double>(input) / output;
  const double support = antialias && scale > 1 ? scale : 1;
  std::vector<std::vector<double>> rows;
  for (int out = 0; out < output; ++out) {
    std::vector<double> row;
    double sum = 0;
    for (int in = 0; in < input; ++in) {
      row.push_back(std::max(0.0, 1 - std::abs(in + 0.5 - (out + 0.5) * scale) / support));
      sum += row.back();
    }
    for (double& weight : row) weight /= sum;
    rows.push_back(row);
  }
  return rows;
}

double exact_value(const Picture& picture, const std::vector<double>& rows, const std::vector<double>& columns,
                   int channel) {
  double sum = 0;
  for (int y = 0; y < picture.height; ++y) {
    if (rows[static_cast<std::size_t>(y)] == 0) continue;
    for (int x = 0; x < picture.width; ++x)
      sum += rows[static_cast<std::size_t>(y)] * columns[static_cast<std::size_t>(x)] * picture.at(x, y, channel);
  }
  return sum;
}

// Bound: 8-bit rounding after the rows (0.5, which the columns average) and at the end (0.5), and weights in steps of
// 2^-14, off by at most 2^-15 each: 255 * taps / 2^15, below 0.1 a pass for up to 12 taps. White noise is the worst input
// there is.
TEST(ImageTransform, EveryPixelIsWithinRoundingOfTheExactFilter) {
  const int sizes[][2] = {{1, 1}, {2, 3}, {5, 40}, {24, 24}, {25, 23}, {47, 96}, {131, 77}, {200, 150}};
  for (const auto& [width, height] : sizes) {
    for (const Resize method : {Resize::antialias, Resize::linear}) {
      for (const bool flip : {false, true}) {
        const int side = 24;
        const Picture picture = noise(width, height, static_cast<std::uint64_t>(width));
        const auto output = resized(picture, {.side = side, .resize = method}, flip);
        const auto rows = dense_weights(height, side, method == Resize::antialias);
        const auto columns = dense_weights(width, side, method == Resize::antialias);
        double mean = 0;
        for (int c = 0; c < 3; ++c)
          for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) {
              const int source = flip ? side - 1 - x : x;
              const double exact =
                  exact_value(picture, rows[static_cast<std::size_t>(y)], columns[static_cast<std::size_t>(source)], c);
              const double off =
                  std::abs(static_cast<int>(output[static_cast<std::size_t>((c * side + y) * side + x)]) - exact);
              mean += off / (3 * side * side);
              ASSERT_LE(off, 1.2) << width << "x" << height << " channel " << c << " at " << x << "," << y << " exact "
                                  << exact;
            }
        EXPECT_LT(mean, 0.45) << width << "x" << height;
      }
    }
  }
}

TEST(ImageTransform, FlatPicturesStayFlat) {
  for (const int level : {0, 1, 128, 254, 255})
    for (const auto& [width, height] : {std::pair{333, 500}, {17, 3}, {2000, 64}}) {
      const Picture picture{
          width, height,
          std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * 3), static_cast<std::uint8_t>(level))};
      for (const std::byte value : resized(picture, {.side = 32}, false)) ASSERT_EQ(static_cast<int>(value), level);
    }
}

TEST(ImageTransform, SameSizeIsACopyInPlanes) {
  const Picture picture = noise(32, 32, 5);
  const auto output = resized(picture, {.side = 32}, false);
  const auto mirrored = resized(picture, {.side = 32}, true);
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < 32; ++y)
      for (int x = 0; x < 32; ++x) {
        ASSERT_EQ(static_cast<int>(output[static_cast<std::size_t>((c * 32 + y) * 32 + x)]), picture.at(x, y, c));
        ASSERT_EQ(static_cast<int>(mirrored[static_cast<std::size_t>((c * 32 + y) * 32 + x)]),
                  picture.at(31 - x, y, c));
      }
}

TEST(ImageTransform, FloatsAreTheBytesNormalised) {
  const Picture picture = noise(90, 70, 8);
  const auto bytes = resized(picture, {.side = 40}, true);
  const auto raw = resized(picture, {.side = 40, .output = InputType::float32}, true);
  ASSERT_EQ(raw.size(), bytes.size() * sizeof(float));
  const float mean[] = {0.485f, 0.456f, 0.406f};
  const float deviation[] = {0.229f, 0.224f, 0.225f};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    float value = 0;
    std::memcpy(&value, raw.data() + i * sizeof value, sizeof value);
    const std::size_t channel = i / (40 * 40);
    const double expected = (static_cast<int>(bytes[i]) / 255.0 - static_cast<double>(mean[channel])) /
                            static_cast<double>(deviation[channel]);
    ASSERT_NEAR(value, expected, 1e-6);
  }
}

TEST(ImageTransform, ThreadsDontChangeABit) {
  for (const auto& [width, height] : {std::pair{301, 211}, {20, 400}, {3, 2}}) {
    const Picture picture = noise(width, height, 3);
    for (const int side : {1, 7, 64}) {
      const auto alone = resized(picture, {.side = side}, true);
      for (const int threads : {2, 3, 5, 9})
        EXPECT_EQ(resized(picture, {.side = side, .threads = threads}, true), alone);
    }
  }
}

TEST(ImageTransform, RowPoolCoversEveryRowOnceAndIsReusable) {
  RowPool pool(4);
  std::vector<int> visits(1000);
  std::set<std::thread::id> threads;
  std::mutex mutex;
  for (int round = 0; round < 200; ++round) {
    const int rows = round * 5;
    pool.run(rows, [&](int begin, int end, int thread) {
      ASSERT_GE(thread, 0);
      ASSERT_LT(thread, 4);
      for (int row = begin; row < end; ++row) ++visits[static_cast<std::size_t>(row)];
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  }
  for (int row = 0; row < 1000; ++row) ASSERT_EQ(visits[static_cast<std::size_t>(row)], 199 - row / 5) << "row " << row;
  EXPECT_EQ(threads.size(), 4u);
}

/// The value of half precision's bits, from the format's definition.
double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

TEST(ImageTransform, HalvesAreTheFloatsRoundedToTheNearest) {
  const Picture picture = noise(90, 70, 8);
  const auto floats = resized(picture, {.side = 41, .output = InputType::float32}, false);
  const auto halves = resized(picture, {.side = 41, .output = InputType::float16}, false);
  ASSERT_EQ(halves.size() * 2, floats.size());
  for (std::size_t i = 0; i < halves.size() / 2; ++i) {
    float value = 0;
    std::uint16_t bits = 0;
    std::memcpy(&value, floats.data() + i * sizeof value, sizeof value);
    std::memcpy(&bits, halves.data() + i * sizeof bits, sizeof bits);
    const double error = std::abs(half_value(bits) - static_cast<double>(value));
    for (const int step : {-1, 1}) {
      const double neighbour = std::abs(half_value(static_cast<std::uint16_t>(bits + step)) - static_cast<double>(value));
      ASSERT_TRUE(error < neighbour || (error == neighbour && bits % 2 == 0)) << value << " became " << half_value(bits);
    }
  }
}

/// Runs the rest of the test on one instruction set.
struct OnTarget {
  explicit OnTarget(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  ~OnTarget() { hwy::SetSupportedTargetsForTest(0); }
};

TEST(ImageTransform, EveryInstructionSetThatThisMachineHasGivesTheSameBits) {
  std::vector<std::int64_t> targets;
  const std::int64_t left_out = HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV;  // as the kernels do
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS & ~left_out; rest != 0; rest &= rest - 1)
    targets.push_back(rest & -rest);
  ASSERT_GE(targets.size(), 2U) << "a SIMD one and the portable code";
  RecordProperty("targets", static_cast<int>(targets.size()));
  for (const auto& [width, height] : {std::pair{301, 211}, {1, 1}, {9, 500}, {224, 224}, {2, 3}, {2500, 1800}, {13, 5}}) {
    const Picture picture = noise(width, height, 3);
    for (const int side : {1, 6, 7, 33, 224})
      for (const InputType output : {InputType::uint8, InputType::float32, InputType::float16})
        for (const Resize method : {Resize::antialias, Resize::linear}) {
          std::vector<std::byte> best;
          {
            const OnTarget chosen(targets.front());
            best = resized(picture, {.side = side, .output = output, .resize = method}, true);
          }
          for (const std::int64_t target : targets) {
            const OnTarget chosen(target);
            ASSERT_EQ(kernel_target(), hwy::TargetName(target));
            ASSERT_TRUE(resized(picture, {.side = side, .output = output, .resize = method}, true) == best)
                << hwy::TargetName(target) << " " << width << "x" << height << " to " << side << " " << to_text(output);
          }
        }
  }
}

// The promise that any order of the same sums gives the same bits.
TEST(ImageTransform, WeightsAreWholeNumbersThatAddUpToOne) {
  ResizeWeights weights;
  for (const int input : {1, 2, 7, 224, 500, 4999})
    for (const int output : {1, 8, 224})
      for (const Resize method : {Resize::antialias, Resize::linear}) {
        weights.set(input, output, method, false);
        ASSERT_EQ(weights.output(), output);
        for (int out = 0; out < output; ++out) {
          ASSERT_GE(weights.first(out), 0);
          ASSERT_LE(weights.first(out) + weights.count(out), input);
          int sum = 0;
          for (int k = 0; k < weights.count(out); ++k) {
            ASSERT_GE(weights.weights(out)[k], 0);
            sum += weights.weights(out)[k];
          }
          ASSERT_EQ(sum, 16384);
          ASSERT_LE(weights.count(out), 2 * weights.pairs());
          for (int k = weights.count(out); k < 2 * weights.pairs(); ++k) ASSERT_EQ(weights.weights(out)[k], 0);
        }
      }
}

}  // namespace
}  // namespace feedtune
