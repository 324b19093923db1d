// The whole training step on the cuda device against the cpu's: the same loss and gradients, the memory that was planned.
#include <fmt/format.h>

#include <cmath>

#include "cuda/cuda_fixture.hpp"
#include "model/images.hpp"
#include "model/mixer.hpp"

namespace feedtune {
namespace {

using test::values_of;

constexpr int images = 16, side = 64;

struct Outcome {
  std::vector<double> losses;
  std::vector<float> gradient;  ///< of the first step
  float loss_scale = 1;
  std::uint64_t peak_bytes = 0;
};

Outcome train(Device& device, Precision precision, int steps) {
  Mixer step(device, model_preset("mixer-pico"), {.batch_size = images, .image_size = side, .precision = precision, .seed = 3});
  const std::vector<float> pixels = smooth_images(images, side);
  const std::vector<std::int32_t> labels = spread_labels(images, 1000);
  const auto stream = device.create_stream();
  const bool copies = device.facts().copies;
  DeviceBuffer input, label_memory;
  if (copies) {
    input = device.memory().allocate(pixels.size() * 4);
    label_memory = device.memory().allocate(labels.size() * 4);
    stream->copy_to_device(input.address(), std::as_bytes(std::span(pixels)), HostMemory::pageable);
    stream->copy_to_device(label_memory.address(), std::as_bytes(std::span(labels)), HostMemory::pageable);
  }
  auto* const pixel_address = copies ? input.address() : const_cast<std::byte*>(reinterpret_cast<const std::byte*>(pixels.data()));
  const auto* const label_address = copies ? label_memory.address() : reinterpret_cast<const std::byte*>(labels.data());
  Outcome outcome;
  outcome.loss_scale = step.loss_scale();
  for (int k = 0; k < steps; ++k) {
    step.forward(*stream, {pixel_address, pixels.size(), Element::f32});
    step.backward(*stream, label_address);
    if (k == 0) outcome.gradient = values_of(device, step.parameter_tensors().gradient);
    step.update(*stream);
    outcome.losses.push_back(step.loss());
  }
  outcome.peak_bytes = device.memory().peak_bytes();
  return outcome;
}

class CudaStep : public test::WithCuda, public testing::WithParamInterface<std::pair<Precision, double>> {};

TEST_P(CudaStep, LossAndGradientsAreTheCpusWithinTheElementsRounding) {
  const auto [precision, tolerance] = GetParam();
  std::unique_ptr<Device> cpu;
  try {
    cpu = make_cpu_device(std::make_shared<SteadyClock>(), 1);
  } catch (const DeviceUnavailableError& error) {
    GTEST_SKIP() << error.what();
  }
  const auto cuda = test::make_cuda();
  if (!test::computes(*cuda, precision)) GTEST_SKIP() << "this GPU has no " << to_text(precision);
  const Outcome expected = train(*cpu, Precision::fp32, 40), got = train(*cuda, precision, 40);
  EXPECT_NEAR(got.losses.front(), expected.losses.front(), tolerance * expected.losses.front());
  EXPECT_LT(got.losses.back(), 0.8 * got.losses.front()) << "it learns";
  EXPECT_NEAR(got.losses.back(), expected.losses.back(), 20 * tolerance * expected.losses.front());
  double square = 0, difference = 0;
  for (std::size_t i = 0; i < expected.gradient.size(); ++i) {
    const double wanted = static_cast<double>(expected.gradient[i]);
    const double mine = static_cast<double>(got.gradient[i]) / static_cast<double>(got.loss_scale);
    square += wanted * wanted;
    difference += (mine - wanted) * (mine - wanted);
  }
  const double error = std::sqrt(difference / square);
  RecordProperty("precision", std::string(to_text(precision)));
  RecordProperty("gradient_error", fmt::format("{}", error));
  RecordProperty("tolerance", fmt::format("{}", 4 * tolerance));
  EXPECT_LT(error, 4 * tolerance);
}

// A tensor core may cut tf32's factors off where the fake rounds them: 2^-10 each, all of one sign.
INSTANTIATE_TEST_SUITE_P(Precisions, CudaStep,
                         testing::Values(std::pair{Precision::fp32, 1e-5}, std::pair{Precision::tf32, 2e-3}, std::pair{Precision::fp16, 2e-3},
                                         std::pair{Precision::bf16, 1e-2}),
                         [](const auto& one) { return std::string(to_text(one.param.first)); });

using CudaStepMemory = test::WithCuda;

TEST_F(CudaStepMemory, PeakEqualsThePlannersFigureExactly) {
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    const auto cuda = test::make_cuda();
    EXPECT_EQ(train(*cuda, precision, 1).peak_bytes,
              planned_device_bytes(model_preset("mixer-pico"), side, images, precision, InputType::float32, 1));
    EXPECT_EQ(cuda->memory().used_bytes(), 0u);
  }
}

}  // namespace
}  // namespace feedtune
