#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "core/error.hpp"
#include "device/cpu/cpu_device.hpp"
#include "images.hpp"
#include "model/mixer.hpp"
#include "naive_double_device.hpp"

namespace feedtune {
namespace {

const ModelPreset tiny = {
    .name = "test", .patch = 4, .channels = 6, .token_hidden = 5, .channel_hidden = 7, .blocks = 2, .classes = 5};
const StepOptions options = {.batch_size = 3, .image_size = 12, .seed = 7};
constexpr int images = 3;

template <class T>
Tensor tensor_of(std::vector<T>& values, Element element) {
  return {reinterpret_cast<std::byte*>(values.data()), values.size(), element};
}

class MixerGradient : public testing::Test {
 protected:
  MixerGradient() {
    const std::vector<float> values = smooth_images(images, options.image_size);
    input_.assign(values.begin(), values.end());
    labels_ = spread_labels(images, tiny.classes);
    // Biases start at 0; give them values, so that a bias in the wrong place shows.
    for (const LinearLayer* layer : mixer_.parameters().all())
      for (std::int64_t i = 0; i < layer->outputs; ++i)
        doubles(mixer_.parameter_tensors().weights)[layer->bias_offset + i] = 0.3 * std::sin(static_cast<double>(i + 1));
  }

  void run() {
    const auto stream = device_.create_stream();
    mixer_.forward(*stream, tensor_of(input_, Element::f32));
    mixer_.backward(*stream, reinterpret_cast<const std::byte*>(labels_.data()));
  }

  double loss_with(std::int64_t parameter, double shift) {
    double& weight = doubles(mixer_.parameter_tensors().weights)[parameter];
    const double before = weight;
    weight += shift;
    run();
    weight = before;
    const double* losses = doubles(mixer_.activations().losses);
    return (losses[0] + losses[1] + losses[2]) / images;
  }

  NaiveDoubleDevice device_;
  Mixer mixer_{device_, tiny, options};
  std::vector<double> input_;
  std::vector<std::int32_t> labels_;
};

// Central differences with a step of 1e-4: their own error is of the order of 1e-8 (third derivative) and 1e-12 / 1e-4
// (rounding).
TEST_F(MixerGradient, EveryParameterMovesTheLossAsItsGradientSays) {
  constexpr double step = 1e-4;
  for (const LinearLayer* layer : mixer_.parameters().all()) {
    SCOPED_TRACE(layer->name);
    for (const auto& [offset, count] : {std::pair{layer->weight_offset, layer->inputs * layer->outputs},
                                        std::pair{layer->bias_offset, layer->outputs}}) {
      double largest = 0;
      for (std::int64_t i = offset; i < offset + count; ++i) {
        const double difference = (loss_with(i, step) - loss_with(i, -step)) / (2 * step);
        run();
        const double gradient = doubles(mixer_.parameter_tensors().gradient)[i];
        ASSERT_NEAR(gradient, difference, 1e-7) << "parameter " << i - offset << " of " << count;
        largest = std::max(largest, std::abs(gradient));
      }
      EXPECT_GT(largest, 1e-5) << "a gradient of 0 would pass every comparison";
    }
  }
}

// fp32 sums of at most a few hundred terms of the size of 1: 1e-4 of the largest gradient of a layer leaves a factor of
// ten over their rounding.
TEST_F(MixerGradient, CpuDeviceAgreesWithDoublePrecision) {
  std::unique_ptr<Device> cpu;
  try {
    cpu = make_cpu_device(std::make_shared<SteadyClock>(), 1);
  } catch (const DeviceUnavailableError& error) {
    GTEST_SKIP() << error.what();
  }
  run();
  Mixer mixer(*cpu, tiny, options);
  std::vector<float> weights(static_cast<std::size_t>(mixer.parameters().padded_count));
  device_.math().download(mixer_.parameter_tensors().weights, weights);
  cpu->math().upload(mixer.parameter_tensors().weights, weights);
  std::vector<float> input(input_.begin(), input_.end());
  const auto stream = cpu->create_stream();
  mixer.forward(*stream, tensor_of(input, Element::f32));
  mixer.backward(*stream, reinterpret_cast<const std::byte*>(labels_.data()));
  EXPECT_NEAR(mixer.loss(), mixer_.loss(), 1e-5 * mixer_.loss());

  std::vector<float> gradients(weights.size());
  cpu->math().download(mixer.parameter_tensors().gradient, gradients);
  const double* expected = doubles(mixer_.parameter_tensors().gradient);
  for (const LinearLayer* layer : mixer.parameters().all()) {
    SCOPED_TRACE(layer->name);
    double largest = 0;
    for (std::int64_t i = layer->weight_offset; i < layer->bias_offset + layer->outputs; ++i)
      largest = std::max(largest, std::abs(expected[i]));
    for (std::int64_t i = layer->weight_offset; i < layer->bias_offset + layer->outputs; ++i)
      ASSERT_NEAR(static_cast<double>(gradients[static_cast<std::size_t>(i)]), expected[i], 1e-4 * largest);
  }
}

TEST_F(MixerGradient, UpdateIsSgdWithMomentum) {
  const auto stream = device_.create_stream();
  const std::int64_t watched = mixer_.parameters().blocks[1].channel_in.weight_offset;
  double expected = doubles(mixer_.parameter_tensors().weights)[watched];
  double momentum = 0;
  for (int i = 0; i < 3; ++i) {
    run();
    momentum = static_cast<double>(options.momentum) * momentum + doubles(mixer_.parameter_tensors().gradient)[watched];
    expected -= static_cast<double>(options.rate) * momentum;
    mixer_.update(*stream);
    EXPECT_DOUBLE_EQ(doubles(mixer_.parameter_tensors().weights)[watched], expected);
  }
}

}  // namespace
}  // namespace feedtune
