// Each kernel of the cpu device against its description in device/math.hpp, computed in double precision. Shapes are
// chosen to leave remainders of every vector width and tile.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "device/cpu/cpu_device.hpp"

namespace feedtune {
namespace {

using Values = std::vector<float>;

Values numbers(std::size_t count, int seed, double scale = 1) {
  Values values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(scale * std::sin(static_cast<double>((i + 1) * static_cast<std::size_t>(seed + 1)) * 1.7));
  return values;
}

Tensor on(Values& values) { return {reinterpret_cast<std::byte*>(values.data()), values.size(), Element::f32}; }

void expect_near(const Values& got, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(static_cast<double>(got[i]), expected[i], tolerance * (1 + std::abs(expected[i]))) << "at " << i;
}

double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

/// Number of threads. ThreadSanitizer can't see libgomp's barriers, so under it one thread has to do.
class CpuMath : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    try {
      device_ = make_cpu_device(std::make_shared<SteadyClock>(), GetParam());
    } catch (const DeviceUnavailableError& error) {
      GTEST_SKIP() << error.what();
    }
    stream_ = device_->create_stream();
  }
  DeviceMath& math() { return device_->math(); }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
};

TEST_P(CpuMath, GemmMultipliesEveryTransposition) {
  const std::int64_t m = 37, n = 29, k = 53;
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      for (const bool accumulate : {false, true}) {
        Values a = numbers(m * k, 1), b = numbers(k * n, 2), c = numbers(m * n, 3);
        std::vector<double> expected(c.size());
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            double sum = accumulate ? static_cast<double>(c[static_cast<std::size_t>(i * n + j)]) : 0;
            for (std::int64_t p = 0; p < k; ++p)
              sum += static_cast<double>(a[static_cast<std::size_t>(ta ? p * m + i : i * k + p)]) *
                     static_cast<double>(b[static_cast<std::size_t>(tb ? j * k + p : p * n + j)]);
            expected[static_cast<std::size_t>(i * n + j)] = sum;
          }
        math().gemm(*stream_, {.m = m, .n = n, .k = k, .transpose_a = ta, .transpose_b = tb, .accumulate = accumulate,
                               .a = on(a), .b = on(b), .c = on(c)});
        expect_near(c, expected, 1e-5);
      }
}

TEST_P(CpuMath, PatchesHoldTheImageInTheStatedOrder) {
  constexpr int batch = 2, side = 12, patch = 4;
  std::vector<std::uint8_t> bytes(batch * 3 * side * side);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 % 251);
  constexpr double mean[] = {0.485, 0.456, 0.406};  // torchvision's for ImageNet
  constexpr double deviation[] = {0.229, 0.224, 0.225};
  std::vector<double> expected;
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t py = 0; py < side; py += patch)
      for (std::size_t px = 0; px < side; px += patch)
        for (std::size_t c = 0; c < 3; ++c)
          for (std::size_t y = 0; y < patch; ++y)
            for (std::size_t x = 0; x < patch; ++x)
              expected.push_back((bytes[((b * 3 + c) * side + py + y) * side + px + x] / 255.0 - mean[c]) / deviation[c]);
  Values patches(bytes.size());
  math().extract_patches(*stream_, {reinterpret_cast<std::byte*>(bytes.data()), bytes.size(), Element::u8}, on(patches),
                         batch, side, patch);
  expect_near(patches, expected, 1e-6);

  // The same picture, normalised before, as f32 and as f16.
  Values floats(bytes.size());
  std::vector<std::uint16_t> halves(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    floats[i] = static_cast<float>(i);
    halves[i] = static_cast<std::uint16_t>(0x3c00 + i);  // 1 + i / 1024, exact below 2
  }
  Values from_floats(bytes.size()), from_halves(bytes.size());
  math().extract_patches(*stream_, on(floats), on(from_floats), batch, side, patch);
  math().extract_patches(*stream_, {reinterpret_cast<std::byte*>(halves.data()), halves.size(), Element::f16},
                         on(from_halves), batch, side, patch);
  EXPECT_EQ(from_floats[5], 13.0f) << "second row, second column of the first patch";
  for (std::size_t i = 0; i < floats.size(); ++i) ASSERT_EQ(from_halves[i], 1 + from_floats[i] / 1024);
}

TEST_P(CpuMath, HalvesOfEveryKindAreWidenedExactly) {
  std::vector<std::uint16_t> halves(3 * 4 * 4);
  const std::vector<std::pair<std::uint16_t, float>> cases = {{0x0000, 0.0f}, {0x8000, -0.0f}, {0x0001, 0x1p-24f},
                                                              {0x03ff, 1023 * 0x1p-24f}, {0x0400, 0x1p-14f},
                                                              {0xc000, -2.0f}, {0x7bff, 65504.0f},
                                                              {0x7c00, INFINITY}, {0xfc00, -INFINITY}};
  for (std::size_t i = 0; i < cases.size(); ++i) halves[i] = cases[i].first;
  halves[cases.size()] = 0x7e00;
  Values patches(halves.size());
  math().extract_patches(*stream_, {reinterpret_cast<std::byte*>(halves.data()), halves.size(), Element::f16},
                         on(patches), 1, 4, 4);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(patches[i], cases[i].second) << std::hex << cases[i].first;
    EXPECT_EQ(std::signbit(patches[i]), std::signbit(cases[i].second));
  }
  EXPECT_TRUE(std::isnan(patches[cases.size()]));
}

TEST_P(CpuMath, BiasGeluAndItsGradientFollowTheFormula) {
  const std::int64_t rows = 301, columns = 43;
  Values pre = numbers(rows * columns, 1, 30), bias = numbers(columns, 2), out(pre.size());
  pre[0] = 1000;
  pre[1] = -1000;
  pre[2] = 0;
  std::vector<double> shifted, expected;
  for (std::size_t i = 0; i < pre.size(); ++i) {
    shifted.push_back(static_cast<double>(pre[i] + bias[i % static_cast<std::size_t>(columns)]));
    expected.push_back(gelu(shifted.back()));
  }
  math().bias_gelu(*stream_, on(pre), on(bias), on(out), rows, columns);
  expect_near(pre, shifted, 0);
  expect_near(out, expected, 1e-6);

  Values gradient = numbers(pre.size(), 4), sums(static_cast<std::size_t>(columns), 99.0f);
  std::vector<double> expected_gradient, expected_sums(sums.size());
  for (std::size_t i = 0; i < pre.size(); ++i) {
    const double x = shifted[i], h = 1e-5;
    expected_gradient.push_back(static_cast<double>(gradient[i]) * (gelu(x + h) - gelu(x - h)) / (2 * h));
    expected_sums[i % sums.size()] += expected_gradient.back();
  }
  math().bias_gelu_backward(*stream_, on(pre), on(gradient), on(sums), rows, columns);
  expect_near(gradient, expected_gradient, 2e-6);
  expect_near(sums, expected_sums, 1e-4);
}

TEST_P(CpuMath, BiasResidualAddsWithAndWithoutResidualInPlace) {
  const std::int64_t rows = 211, columns = 45;
  Values x = numbers(rows * columns, 1), bias = numbers(columns, 2), residual = numbers(rows * columns, 3);
  std::vector<double> plain, with;
  for (std::size_t i = 0; i < x.size(); ++i) {
    plain.push_back(static_cast<double>(x[i]) + static_cast<double>(bias[i % static_cast<std::size_t>(columns)]));
    with.push_back(plain.back() + static_cast<double>(residual[i]));
  }
  math().bias_residual(*stream_, on(x), on(bias), on(residual), on(residual), rows, columns);
  expect_near(residual, with, 1e-6);
  math().bias_residual(*stream_, on(x), on(bias), Tensor{}, on(x), rows, columns);
  expect_near(x, plain, 1e-6);
}

TEST_P(CpuMath, BiasBackwardSumsColumns) {
  const std::int64_t rows = 999, columns = 51;
  Values gradient = numbers(rows * columns, 1), sums(static_cast<std::size_t>(columns), 7.0f);
  std::vector<double> expected(sums.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) expected[i % expected.size()] += static_cast<double>(gradient[i]);
  math().bias_backward(*stream_, on(gradient), on(sums), rows, columns);
  expect_near(sums, expected, 1e-4);
}

TEST_P(CpuMath, TransposeTurnsEachMatrixOfTheBatch) {
  const std::int64_t batch = 5, rows = 49, columns = 35;
  Values x = numbers(batch * rows * columns, 1), bias = numbers(columns, 2), residual = numbers(x.size(), 3);
  std::vector<double> plain(x.size()), with(x.size());
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) {
        const auto to = static_cast<std::size_t>((b * columns + c) * rows + r);
        plain[to] = static_cast<double>(x[static_cast<std::size_t>((b * rows + r) * columns + c)]);
        with[to] = plain[to] + static_cast<double>(bias[static_cast<std::size_t>(c)]) + static_cast<double>(residual[to]);
      }
  Values out(x.size());
  math().transpose(*stream_, on(x), Tensor{}, Tensor{}, on(out), batch, rows, columns);
  expect_near(out, plain, 0);
  math().transpose(*stream_, on(x), on(bias), on(residual), on(residual), batch, rows, columns);
  expect_near(residual, with, 1e-6);
}

TEST_P(CpuMath, MeanPoolAveragesTokensAndSpreadsTheGradient) {
  const std::int64_t batch = 7, tokens = 49, channels = 37;
  Values x = numbers(batch * tokens * channels, 1), pooled(static_cast<std::size_t>(batch * channels), 9.0f);
  std::vector<double> expected(pooled.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    expected[i / static_cast<std::size_t>(tokens * channels) * static_cast<std::size_t>(channels) +
             i % static_cast<std::size_t>(channels)] += static_cast<double>(x[i]) / static_cast<double>(tokens);
  math().mean_pool(*stream_, on(x), on(pooled), batch, tokens, channels);
  expect_near(pooled, expected, 1e-6);

  std::vector<double> spread(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    spread[i] = static_cast<double>(pooled[i / static_cast<std::size_t>(tokens * channels) * static_cast<std::size_t>(channels) +
                                           i % static_cast<std::size_t>(channels)]) /
                static_cast<double>(tokens);
  math().mean_pool_backward(*stream_, on(pooled), on(x), batch, tokens, channels);
  expect_near(x, spread, 1e-6);
}

TEST_P(CpuMath, CrossEntropyAndItsGradientStandLargeLogits) {
  const std::int64_t batch = 9, classes = 1000;
  Values logits = numbers(batch * classes, 1, 5), losses(static_cast<std::size_t>(batch));
  for (std::int64_t c = 0; c < classes; ++c) logits[static_cast<std::size_t>(c)] += 500;  // exp(500) overflows
  std::vector<std::int32_t> labels;
  for (std::int64_t b = 0; b < batch; ++b) labels.push_back(static_cast<std::int32_t>(b * 111));
  const double scale = 16;
  std::vector<double> expected_losses, expected;
  for (std::int64_t b = 0; b < batch; ++b) {
    const float* row = &logits[static_cast<std::size_t>(b * classes)];
    const double offset = b == 0 ? 500 : 0;
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(row[c]) - offset);
    const auto label = labels[static_cast<std::size_t>(b)];
    expected_losses.push_back(std::log(sum) + offset - static_cast<double>(row[label]));
    for (std::int64_t c = 0; c < classes; ++c)
      expected.push_back(scale / static_cast<double>(batch) *
                         (std::exp(static_cast<double>(row[c]) - offset) / sum - (c == label ? 1 : 0)));
  }
  math().softmax_cross_entropy(*stream_, on(logits), reinterpret_cast<const std::byte*>(labels.data()), on(losses), batch,
                               classes, static_cast<float>(scale));
  expect_near(losses, expected_losses, 1e-5);
  expect_near(logits, expected, 1e-6);
}

TEST_P(CpuMath, SgdSkipsWhatIsNotFinite) {
  Values weights = numbers(10007, 1), momentum = numbers(10007, 2), gradient = numbers(10007, 3);
  gradient[5] = INFINITY;
  gradient[6] = std::numeric_limits<float>::quiet_NaN();
  std::vector<double> expected_weights, expected_momentum;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const bool skipped = i == 5 || i == 6;
    const double v = static_cast<double>(momentum[i]), w = static_cast<double>(weights[i]);
    expected_momentum.push_back(skipped ? v : 0.5 * v + static_cast<double>(gradient[i]) / 8);
    expected_weights.push_back(skipped ? w : w - 0.25 * expected_momentum.back());
  }
  math().sgd_momentum(*stream_, on(weights), on(momentum), on(gradient), Tensor{}, 0.25f, 0.5f, 8.0f);
  expect_near(momentum, expected_momentum, 1e-6);
  expect_near(weights, expected_weights, 1e-6);
  math().fill_zero(*stream_, on(weights));
  EXPECT_EQ(weights, Values(weights.size(), 0.0f));
}

TEST_P(CpuMath, UploadAndDownloadKeepEveryValue) {
  Values device(100), host = numbers(100, 1), back(100);
  math().upload(on(device), host);
  math().download(on(device), back);
  EXPECT_EQ(back, host);
}

#if defined(__SANITIZE_THREAD__)
INSTANTIATE_TEST_SUITE_P(Threads, CpuMath, testing::Values(1));
#else
INSTANTIATE_TEST_SUITE_P(Threads, CpuMath, testing::Values(1, 3));
#endif

}  // namespace
}  // namespace feedtune
