#include <gtest/gtest.h>

#include "core/error.hpp"
#include "device/cpu/cpu_device.hpp"
#include "images.hpp"
#include "model/model.hpp"

namespace feedtune {
namespace {

constexpr int images = 32;
constexpr int side = 64;

class MixerLearning : public testing::TestWithParam<const char*> {};

// A step whose forward, backward or update were wrong would not learn 32 pictures by heart from a loss of about
// ln(1000) = 6.9, where guessing stays.
TEST_P(MixerLearning, LossFallsOnFixedImages) {
  std::unique_ptr<Device> cpu;
  try {
    cpu = make_cpu_device(std::make_shared<SteadyClock>(), 1);
  } catch (const DeviceUnavailableError& error) {
    GTEST_SKIP() << error.what();
  }
  const auto step = make_mixer(*cpu, model_preset(GetParam()), {.batch_size = images, .image_size = side, .seed = 3});
  std::vector<float> input = smooth_images(images, side);
  const std::vector<std::int32_t> labels = spread_labels(images, 1000);
  const auto stream = cpu->create_stream();
  double first = 0;
  double last = 0;
  for (int i = 0; i < 60; ++i) {
    step->forward(*stream, {reinterpret_cast<std::byte*>(input.data()), input.size(), Element::f32});
    step->backward(*stream, reinterpret_cast<const std::byte*>(labels.data()));
    step->update(*stream);
    last = step->loss();
    if (i == 0) first = last;
  }
  EXPECT_GT(first, 6.0);
  EXPECT_LT(last, 0.5 * first);
}

INSTANTIATE_TEST_SUITE_P(Presets, MixerLearning, testing::Values("mixer-pico", "mixer-nano"));

}  // namespace
}  // namespace feedtune
