#include "model/layout.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"

namespace feedtune {

namespace {

constexpr std::int64_t alignment = 64;  // elements: 128 bytes at least, what GEMM kernels like

class FlatArray {
 public:
  std::int64_t place(std::int64_t count) {
    const std::int64_t offset = size_;
    size_ += (count + alignment - 1) / alignment * alignment;
    return offset;
  }
  std::int64_t size() const { return size_; }

 private:
  std::int64_t size_ = 0;
};

LinearLayer layer(FlatArray& array, std::string name, std::int64_t inputs, std::int64_t outputs, double gain) {
  LinearLayer placed{.name = std::move(name), .inputs = inputs, .outputs = outputs};
  placed.weight_offset = array.place(inputs * outputs);
  placed.bias_offset = array.place(outputs);
  placed.deviation = static_cast<float>(std::sqrt(gain / static_cast<double>(inputs)));
  return placed;
}

}  // namespace

MixerShape::MixerShape(const ModelPreset& preset, int image_size)
    : patch_values(3LL * preset.patch * preset.patch),
      channels(preset.channels),
      token_hidden(preset.token_hidden),
      channel_hidden(preset.channel_hidden),
      blocks(preset.blocks),
      classes(preset.classes) {
  if (image_size < preset.patch || image_size % preset.patch != 0)
    throw InputError("image_size", fmt::format("got {}, want a multiple of {} (the patch of {})", image_size,
                                               preset.patch, preset.name));
  tokens = static_cast<std::int64_t>(image_size / preset.patch) * (image_size / preset.patch);
}

// He initialisation (gain 2) before GELU. Without layer normalisation the 2 * blocks residual branches would make the
// residual stream grow with depth; dividing their outputs' variance by that number keeps it about constant.
MixerParameters::MixerParameters(const MixerShape& shape) {
  FlatArray array;
  const double branch_gain = 1.0 / (2.0 * static_cast<double>(shape.blocks));
  embedding = layer(array, "embedding", shape.patch_values, shape.channels, 0.25);
  for (std::int64_t b = 0; b < shape.blocks; ++b) {
    const auto name = [b](const char* part) { return fmt::format("blocks.{}.{}", b, part); };
    Block block;
    block.token_in = layer(array, name("token.in"), shape.tokens, shape.token_hidden, 2);
    block.token_out = layer(array, name("token.out"), shape.token_hidden, shape.tokens, branch_gain);
    block.channel_in = layer(array, name("channel.in"), shape.channels, shape.channel_hidden, 2);
    block.channel_out = layer(array, name("channel.out"), shape.channel_hidden, shape.channels, branch_gain);
    blocks.push_back(std::move(block));
  }
  classifier = layer(array, "classifier", shape.channels, shape.classes, 1);
  padded_count = array.size();
}

std::vector<const LinearLayer*> MixerParameters::all() const {
  std::vector<const LinearLayer*> layers = {&embedding};
  for (const Block& block : blocks)
    layers.insert(layers.end(), {&block.token_in, &block.token_out, &block.channel_in, &block.channel_out});
  layers.push_back(&classifier);
  return layers;
}

std::int64_t MixerParameters::count() const {
  std::int64_t count = 0;
  for (const LinearLayer* one : all()) count += one->inputs * one->outputs + one->outputs;
  return count;
}

Element compute_element(Precision precision) {
  switch (precision) {
    case Precision::fp16: return Element::f16;
    case Precision::bf16: return Element::bf16;
    case Precision::fp32:
    case Precision::tf32: break;
  }
  return Element::f32;
}

ParameterTensors take_parameters(const MixerParameters& parameters, Precision precision, const TakeTensor& take) {
  ParameterTensors tensors;
  tensors.weights = take(parameters.padded_count, Element::f32);
  tensors.momentum = take(parameters.padded_count, Element::f32);
  tensors.gradient = take(parameters.padded_count, Element::f32);
  const Element element = compute_element(precision);
  if (element != Element::f32) tensors.copy = take(parameters.padded_count, element);
  return tensors;
}

ActivationTensors take_activations(const MixerShape& shape, std::int64_t batch, Precision precision,
                                   const TakeTensor& take) {
  const Element element = compute_element(precision);
  const std::int64_t stream = batch * shape.tokens * shape.channels;
  ActivationTensors tensors;
  tensors.patches = take(batch * shape.tokens * shape.patch_values, element);
  tensors.running = take(stream, element);
  tensors.scratch = take(stream, element);
  for (std::int64_t b = 0; b < shape.blocks; ++b) {
    ActivationTensors::Block block;
    block.turned = take(stream, element);
    block.token_pre = take(batch * shape.channels * shape.token_hidden, element);
    block.token_hidden = take(batch * shape.channels * shape.token_hidden, element);
    block.mixed = take(stream, element);
    block.channel_pre = take(batch * shape.tokens * shape.channel_hidden, element);
    block.channel_hidden = take(batch * shape.tokens * shape.channel_hidden, element);
    tensors.blocks.push_back(block);
  }
  tensors.pooled = take(batch * shape.channels, element);
  tensors.pooled_gradient = take(batch * shape.channels, element);
  tensors.logits = take(batch * shape.classes, element);
  tensors.losses = take(batch, Element::f32);
  return tensors;
}

}  // namespace feedtune
