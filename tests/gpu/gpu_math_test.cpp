// Each kernel and GEMM of the cuda device against the cpu device on the same numbers. Shapes leave remainders of packs, tiles,
// chunks and blocks. Inputs are rounded to the element first, so what differs is the element's rounding of the output.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "cuda/cuda_fixture.hpp"

namespace feedtune {
namespace {

using test::on_device;
using test::Owned;
using test::values_of;
using Values = std::vector<float>;

Values numbers(std::int64_t count, int seed, double scale = 1) {
  Values values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(scale * std::sin(static_cast<double>((i + 1) * static_cast<std::size_t>(seed + 1)) * 1.7));
  return values;
}

class CudaMath : public test::WithCuda, public testing::WithParamInterface<Element> {
 protected:
  void SetUp() override {
    WithCuda::SetUp();
    if (IsSkipped()) return;
    cuda_ = test::make_cuda();
    stream_ = cuda_->create_stream();
    try {
      cpu_ = make_cpu_device(std::make_shared<SteadyClock>(), 1);
      cpu_stream_ = cpu_->create_stream();
    } catch (const DeviceUnavailableError& error) {
      GTEST_SKIP() << "nothing to compare with: " << error.what();
    }
    if (element() == Element::bf16 && !test::computes(*cuda_, Precision::bf16)) GTEST_SKIP() << "this GPU has no bf16";
  }
  Element element() const { return GetParam(); }
  /// Of a value around 1.
  double rounding() const { return element() == Element::f32 ? 2e-6 : element() == Element::f16 ? 0x1p-10 : 0x1p-7; }

  /// The values as the element holds them.
  Values rounded(const Values& values) { return values_of(*cuda_, on_device(*cuda_, values, element()).tensor); }

  struct Argument {
    Values values;
    bool activation = true;  ///< in the element under test, else f32
  };
  /// Runs `call` on both devices with the same arguments and compares all of them afterwards.
  void compare(const std::vector<Argument>& arguments, const std::function<void(DeviceMath&, Stream&, const std::vector<Tensor>&)>& call,
               double more = 1) {
    std::vector<Owned> on_cuda, on_cpu;
    for (const Argument& argument : arguments) {
      on_cuda.push_back(on_device(*cuda_, argument.values, argument.activation ? element() : Element::f32));
      on_cpu.push_back(on_device(*cpu_, argument.activation ? rounded(argument.values) : argument.values));
    }
    const auto tensors = [](const std::vector<Owned>& all) {
      std::vector<Tensor> list;
      for (const Owned& one : all) list.push_back(one.tensor);
      return list;
    };
    call(cuda_->math(), *stream_, tensors(on_cuda));
    call(cpu_->math(), *cpu_stream_, tensors(on_cpu));
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Values got = values_of(*cuda_, on_cuda[k].tensor), expected = values_of(*cpu_, on_cpu[k].tensor);
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], expected[i], more * rounding() * (1 + std::fabs(expected[i]))) << "argument " << k << " at " << i;
    }
  }

  std::unique_ptr<Device> cuda_, cpu_;
  std::unique_ptr<Stream> stream_, cpu_stream_;
};

TEST_P(CudaMath, GemmMultipliesEveryTransposition) {
  const std::int64_t m = 37, n = 28, k = 53;
  const Precision precision = element() == Element::f16 ? Precision::fp16 : element() == Element::bf16 ? Precision::bf16 : Precision::fp32;
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      for (const bool accumulate : {false, true})
        for (const bool wide : {false, true})  // C in f32: a weight's gradient
          compare({{numbers(m * k, 1)}, {numbers(k * n, 2)}, {numbers(m * n, 3), !wide}},
                  [&](DeviceMath& math, Stream& stream, const std::vector<Tensor>& t) {
                    math.gemm(stream, {.m = m, .n = n, .k = k, .transpose_a = ta, .transpose_b = tb, .accumulate = accumulate, .a = t[0],
                                       .b = t[1], .c = t[2], .precision = &math == &cpu_->math() ? Precision::fp32 : precision});
                  },
                  4);
}

TEST_P(CudaMath, Tf32KeepsTenBitsOfEachFactor) {
  if (element() != Element::f32) GTEST_SKIP() << "tf32 is a precision of fp32 factors";
  if (!cuda_->facts().fake) GTEST_SKIP() << "whether so small a product goes through the tensor cores is cuBLAS's choice";
  const Owned a = on_device(*cuda_, {1 + 0x1p-11f - 0x1p-20f, 1 + 0x1p-10f}), b = on_device(*cuda_, {1, 0, 0, 1}), c = on_device(*cuda_, {0, 0});
  cuda_->math().gemm(*stream_, {.m = 1, .n = 2, .k = 2, .a = a.tensor, .b = b.tensor, .c = c.tensor, .precision = Precision::tf32});
  EXPECT_EQ(values_of(*cuda_, c.tensor), (Values{1, 1 + 0x1p-10f}));
}

TEST_P(CudaMath, BiasGeluAndItsGradient) {
  for (const std::int64_t columns : {43, 64})
    for (const std::int64_t rows : {1, 301, 1000}) {
      compare({{numbers(rows * columns, 1, 4)}, {numbers(columns, 2), false}, {Values(static_cast<std::size_t>(rows * columns))}},
              [&](DeviceMath& math, Stream& stream, const std::vector<Tensor>& t) { math.bias_gelu(stream, t[0], t[1], t[2], rows, columns); }, 8);
      compare({{numbers(rows * columns, 1, 4)}, {numbers(rows * columns, 4)}, {Values(static_cast<std::size_t>(columns), 9.0f), false}},
              [&](DeviceMath& math, Stream& stream, const std::vector<Tensor>& t) { math.bias_gelu_backward(stream, t[0], t[1], t[2], rows, columns); },
              8);
    }
}

TEST_P(CudaMath, BiasResidualAddsWithAndWithoutResidualInPlace) {
  for (const std::int64_t columns : {45, 48}) {
    const std::int64_t rows = 211;
    const std::vector<Argument> arguments = {{numbers(rows * columns, 1)}, {numbers(columns, 2), false}, {numbers(rows * columns, 3)}};
    compare(arguments, [&](DeviceMath& math, Stream& stream, const std::vector<Tensor>& t) {
      math.bias_residual(stream, t[0], t[1], t[2], t[2], rows, columns);
      math.bias_residual(stream, t[0], t[1], Tensor{}, t[0], rows, columns);
    });
  }
}

TEST_P(CudaMath, BiasBackwardSumsColumns) {
  for (const std::int64_t columns : {5, 51, 1000})
    for (const std::int64_t rows : {1, 255, 257, 999})
      compare({{numbers(rows * columns, 1)}, {Values(static_cast<std::size_t>(columns), 7.0f), false}},
              [&](DeviceMath& math, Stream& stream, const std::vector<Tensor>& t) { math.bias_backward(stream, t[0], t[1], rows, columns); }, 16);
}

TEST_P(CudaMath, TransposeTurnsEachMatrixOfTheBatch) {
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{{49, 35}, {64, 32}, {1, 70}}) {
    const std::int64_t batch = 5, count = batch * rows * columns;
    compare({{numbers(count, 1)}, {numbers(columns, 2), false}, {numbers(count, 3)}, {numbers(count, 4)}},
            [&, r = rows, c = columns](DeviceMath& math, Stream& stream, const std::vector<Tensor>& t) {
              math.transpose(stream, t[0], Tensor{}, Tensor{}, t[3], batch, r, c);
              math.transpose(stream, t[0], t[1], t[2], t[2], batch, r, c);
            });
  }
}

TEST_P(CudaMath, MeanPoolAveragesTokensAndSpreadsTheGradient) {
  for (const std::int64_t channels : {37, 64}) {
    const std::int64_t batch = 7, tokens = 49;
    compare({{numbers(batch * tokens * channels, 1)}, {Values(static_cast<std::size_t>(batch * channels))}, {Values(static_cast<std::size_t>(batch * tokens * channels))}},
            [&](DeviceMath& math, Stream& stream, const std::vector<Tensor>& t) {
              math.mean_pool(stream, t[0], t[1], batch, tokens, channels);
              math.mean_pool_backward(stream, t[1], t[2], batch, tokens, channels);
            });
  }
}

TEST_P(CudaMath, CrossEntropyAndItsGradientStandLargeLogits) {
  const std::int64_t batch = 9, classes = 1000;
  Values logits = numbers(batch * classes, 1, 5);
  for (std::int64_t c = 0; c < classes; ++c) logits[static_cast<std::size_t>(c)] += 500;  // exp(500) overflows
  std::vector<std::int32_t> labels;
  for (std::int64_t b = 0; b < batch; ++b) labels.push_back(static_cast<std::int32_t>(b * 111));
  DeviceBuffer there = cuda_->memory().allocate(labels.size() * 4);
  stream_->copy_to_device(there.address(), std::as_bytes(std::span(labels)), HostMemory::pageable);
  compare({{logits}, {Values(static_cast<std::size_t>(batch)), false}},
          [&](DeviceMath& math, Stream& stream, const std::vector<Tensor>& t) {
            const std::byte* at = &math == &cuda_->math() ? there.address() : reinterpret_cast<const std::byte*>(labels.data());
            math.softmax_cross_entropy(stream, t[0], at, t[1], batch, classes, 16);
          },
          4);
}

TEST_P(CudaMath, SgdSkipsWhatIsNotFiniteAndCopiesWeights) {
  for (const std::int64_t count : {10007, 1024}) {
    Values gradient = numbers(count, 3);
    gradient[5] = INFINITY;
    gradient[6] = NAN;
    const Owned weights = on_device(*cuda_, numbers(count, 1)), momentum = on_device(*cuda_, numbers(count, 2)),
                slope = on_device(*cuda_, gradient), copy = on_device(*cuda_, Values(static_cast<std::size_t>(count)), element());
    const Values w = numbers(count, 1), v = numbers(count, 2);
    cuda_->math().sgd_momentum(*stream_, weights.tensor, momentum.tensor, slope.tensor, copy.tensor, 0.25f, 0.5f, 8.0f);
    const Values w_now = values_of(*cuda_, weights.tensor), v_now = values_of(*cuda_, momentum.tensor), copied = values_of(*cuda_, copy.tensor);
    for (std::size_t i = 0; i < w.size(); ++i) {
      const bool skipped = i == 5 || i == 6;
      const double next = skipped ? static_cast<double>(v[i]) : 0.5 * static_cast<double>(v[i]) + static_cast<double>(gradient[i]) / 8;
      ASSERT_NEAR(v_now[i], next, 1e-6) << i;
      ASSERT_NEAR(w_now[i], skipped ? static_cast<double>(w[i]) : static_cast<double>(w[i]) - 0.25 * next, 1e-6) << i;
    }
    EXPECT_EQ(copied, rounded(w_now));
  }
}

TEST_P(CudaMath, PatchesHoldTheImageInTheStatedOrder) {
  for (const int patch : {4, 3}) {
    const int batch = 2, side = 12;
    const std::int64_t count = batch * 3 * side * side;
    compare({{numbers(count, 1), element() == Element::f16}, {Values(static_cast<std::size_t>(count))}},
            [&](DeviceMath& math, Stream& stream, const std::vector<Tensor>& t) { math.extract_patches(stream, t[0], t[1], batch, side, patch); });
    std::vector<std::byte> bytes;
    for (std::int64_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(i * 37 % 251));
    DeviceBuffer there = cuda_->memory().allocate(bytes.size());
    stream_->copy_to_device(there.address(), bytes, HostMemory::pageable);
    compare({{Values(static_cast<std::size_t>(count))}}, [&](DeviceMath& math, Stream& stream, const std::vector<Tensor>& t) {
      math.extract_patches(stream, {&math == &cuda_->math() ? there.address() : bytes.data(), bytes.size(), Element::u8}, t[0], batch, side, patch);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, CudaMath, testing::Values(Element::f32, Element::f16, Element::bf16), [](const auto& one) {
  return one.param == Element::f32 ? "f32" : one.param == Element::f16 ? "f16" : "bf16";
});

}  // namespace
}  // namespace feedtune
