#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/virtual/virtual_device.hpp"
#include "model/model.hpp"

namespace feedtune {
namespace {

DeviceProfile card(double memory_gb) {
  const auto figure = [](double value) { return Figure{.value = value, .provenance = {}}; };
  DeviceProfile profile;
  profile.name = "test";
  profile.title = "Test card";
  profile.peak_tflops = {{"fp16", figure(50)}, {"fp32", figure(12)}};
  profile.gemm_efficiency = {{1e6, 0.1}, {1e9, 0.6}};
  profile.memory_gb = figure(memory_gb);
  profile.memory_bandwidth_gb_s = figure(500);
  profile.pinned_h2d_gb_s = figure(12);
  profile.pageable_h2d_gb_s = figure(6);
  profile.copy_latency_us = figure(10);
  profile.launch_us = figure(5);
  profile.kernel_gap_us = figure(1);
  return profile;
}

// timm's counts of mixer_s16_224, mixer_b16_224 and mixer_l16_224. Those have two layer normalisations a block and one at
// the end, each with 2 * channels parameters.
TEST(ModelFacts, ParametersAreThePublishedOnesWithoutLayerNormalisation) {
  for (const auto& [name, published] :
       {std::pair{"mixer-s16", 18528264LL}, std::pair{"mixer-b16", 59880472LL}, std::pair{"mixer-l16", 208196168LL}}) {
    const ModelPreset& preset = model_preset(name);
    const long long norms = (2LL * preset.blocks + 1) * 2 * preset.channels;
    EXPECT_EQ(model_facts(preset, 224, Precision::fp16).parameters, published - norms) << name;
  }
}

// Tolstikhin et al., table 1, in millions: without the classifier's matrix.
TEST(ModelFacts, ParametersRoundToTheArticlesMillions) {
  for (const auto& [name, millions] : {std::pair{"mixer-s32", 19}, std::pair{"mixer-s16", 18}, std::pair{"mixer-b16", 59},
                                       std::pair{"mixer-l16", 207}}) {
    const ModelPreset& preset = model_preset(name);
    const auto all = static_cast<double>(model_facts(preset, 224, Precision::fp16).parameters);
    EXPECT_EQ(std::lround((all - 1000.0 * (preset.channels + 1)) * 1e-6), millions) << name;
  }
}

// Multiply-adds of mixer_s16_224 and mixer_b16_224 in timm's tables: 3.79 and 12.61 G, two FLOPs each. They count the
// normalisations too, so ours are up to half a percent below.
TEST(ModelFacts, FlopsAreThePublishedMultiplyAddsTwice) {
  for (const auto& [name, multiply_adds] : {std::pair{"mixer-s16", 3.79e9}, std::pair{"mixer-b16", 12.61e9}}) {
    const double flops = model_facts(model_preset(name), 224, Precision::fp16).forward_flops_per_image;
    EXPECT_LT(flops, 2 * multiply_adds) << name;
    EXPECT_GT(flops, 2 * multiply_adds * 0.995) << name;
  }
}

TEST(ModelFacts, StepCostsThreeForwardsLessTheGradientOfTheImage) {
  const ModelFacts facts = model_facts(model_preset("mixer-s16"), 224, Precision::fp16);
  const double embedding = 2.0 * 196 * 768 * 512;
  EXPECT_DOUBLE_EQ(facts.step_flops_per_image, 3 * facts.forward_flops_per_image - embedding);
}

TEST(ModelPresets, UnknownNameIsAnsweredWithTheNearestAndAllOthers) {
  try {
    model_preset("mixer-s61");
    FAIL() << "no error";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("did you mean mixer-s16?"), std::string::npos) << message;
    EXPECT_NE(message.find("mixer-nano"), std::string::npos) << message;
  }
}

TEST(ModelPresets, ImageSizeThatThePatchDoesNotDivideIsTheUsersMistake) {
  EXPECT_THROW(model_facts(model_preset("mixer-s16"), 200, Precision::fp16), InputError);
  EXPECT_THROW(planned_device_bytes(model_preset("mixer-nano"), 0, 1, Precision::fp16, InputType::uint8, 1), InputError);
}

struct Trial {
  std::unique_ptr<TrainingStep> step;
  std::vector<DeviceBuffer> inputs;
};

/// What a trial allocates on a device, in the order of a trial.
Trial allocate(Device& device, const ModelPreset& preset, int batch, Precision precision, InputType type, int buffers) {
  Trial trial;
  for (int i = 0; i < buffers; ++i) {
    trial.inputs.push_back(device.memory().allocate(input_image_bytes(224, batch, type)));
    trial.inputs.push_back(device.memory().allocate(input_label_bytes(batch)));
  }
  trial.step = make_mixer(device, preset, {.batch_size = batch, .precision = precision});
  return trial;
}

TEST(DevicePlan, IsThePeakOfTheVirtualDevice) {
  for (const ModelPreset& preset : model_presets())
    for (const int batch : {1, 7, 32})
      for (const Precision precision : {Precision::fp16, Precision::fp32}) {
        if (preset.blocks > 8) continue;  // the larger ones add nothing but seconds of initial weights
        const auto device = make_virtual_device(card(500), std::make_shared<ManualClock>());
        const Trial trial = allocate(*device, preset, batch, precision, InputType::uint8, 2);
        EXPECT_EQ(device->memory().peak_bytes(),
                  planned_device_bytes(preset, 224, batch, precision, InputType::uint8, 2))
            << preset.name << " " << batch << " " << to_text(precision);
      }
}

TEST(DevicePlan, IsThePeakOfTheCpuDeviceEvenAfterSteps) {
  std::unique_ptr<Device> cpu;
  try {
    cpu = make_cpu_device(std::make_shared<SteadyClock>(), 1);
  } catch (const DeviceUnavailableError& error) {
    GTEST_SKIP() << error.what();
  }
  const ModelPreset& preset = model_preset("mixer-pico");
  const int batch = 3;
  {
    const Trial trial = allocate(*cpu, preset, batch, Precision::fp32, InputType::uint8, 1);
    const std::vector<std::int32_t> labels(batch, 1);
    const auto stream = cpu->create_stream();
    for (int i = 0; i < 2; ++i) {
      trial.step->forward(*stream, {trial.inputs[0].address(), trial.inputs[0].size(), Element::u8});
      trial.step->backward(*stream, reinterpret_cast<const std::byte*>(labels.data()));
      trial.step->update(*stream);
    }
    EXPECT_EQ(cpu->memory().peak_bytes(), planned_device_bytes(preset, 224, batch, Precision::fp32, InputType::uint8, 1));
    EXPECT_EQ(cpu->memory().used_bytes(), cpu->memory().peak_bytes());
  }
  EXPECT_EQ(cpu->memory().used_bytes(), 0u);
}

// The article's case: twice the batch takes about twice the card (40 % became about 80 %).
TEST(DevicePlan, DoublingTheBatchNearlyDoublesTheMemory) {
  const ModelPreset& preset = model_preset("mixer-s16");
  for (const InputType type : {InputType::uint8, InputType::float32})
    for (const int buffers : {1, 2}) {
      const auto plan = [&](int batch) {
        return static_cast<double>(planned_device_bytes(preset, 224, batch, Precision::fp16, type, buffers));
      };
      EXPECT_GT(plan(256) / plan(128), 1.8);
      EXPECT_LT(plan(256) / plan(128), 2.0);
    }
}

// Everything that grows with the batch, counted by hand: residual stream, transposed and mixed tokens, both sides of
// both GELUs, and the ends.
TEST(DevicePlan, GrowsByTheActivationsOfAnImage) {
  const ModelPreset& p = model_preset("mixer-s16");
  const std::int64_t tokens = 196;
  const std::int64_t elements = tokens * 768 + 2 * tokens * p.channels +
                                p.blocks * (2 * tokens * p.channels + 2 * p.channels * p.token_hidden +
                                            2 * tokens * p.channel_hidden) +
                                2 * p.channels + p.classes;
  EXPECT_EQ(model_facts(p, 224, Precision::fp16).activation_bytes_per_image, 2 * elements + 4);
  const auto plan = [&](int batch) { return planned_device_bytes(p, 224, batch, Precision::fp16, InputType::uint8, 1); };
  EXPECT_EQ(plan(128) - plan(64), 64u * static_cast<std::uint64_t>(2 * elements + 4 + 3 * 224 * 224 + 4));
}

TEST(Mixer, WhatDoesNotFitTheCardIsOutOfDeviceMemory) {
  const ModelPreset& preset = model_preset("mixer-s16");
  const auto device = make_virtual_device(card(1), std::make_shared<ManualClock>());
  ASSERT_GT(planned_device_bytes(preset, 224, 64, Precision::fp16, InputType::uint8, 0), 1000000000u);
  try {
    make_mixer(*device, preset, {.batch_size = 64, .precision = Precision::fp16});
    FAIL() << "it fitted";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.where(), MemoryKind::device);
    EXPECT_EQ(error.limit_bytes(), 1000000000u);
  }
  EXPECT_EQ(device->memory().used_bytes(), 0u) << "what had been taken before it failed is still held";
}

TEST(Mixer, PrecisionThatTheDeviceLacksIsUnsupported) {
  const auto device = make_virtual_device(card(10), std::make_shared<ManualClock>());
  try {
    make_mixer(*device, model_preset("mixer-pico"), {.precision = Precision::bf16});
    FAIL() << "no error";
  } catch (const TrialFailure& failure) {
    EXPECT_EQ(failure.status(), TrialStatus::unsupported);
    EXPECT_NE(std::string(failure.what()).find("bf16"), std::string::npos) << failure.what();
  }
}

}  // namespace
}  // namespace feedtune
