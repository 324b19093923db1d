// What a preset costs, from its sizes alone.
#include "device/device.hpp"
#include "model/layout.hpp"
#include "model/model.hpp"

namespace feedtune {

namespace {

std::uint64_t bytes_of(Element element) {
  switch (element) {
    case Element::u8: return 1;
    case Element::f16:
    case Element::bf16: return 2;
    case Element::f32: break;
  }
  return 4;
}

/// A TakeTensor that adds up bytes.
class Tally {
 public:
  explicit Tally(bool accounted) : accounted_(accounted) {}
  TakeTensor take() {
    return [this](std::int64_t count, Element element) {
      const std::uint64_t bytes = static_cast<std::uint64_t>(count) * bytes_of(element);
      bytes_ += accounted_ ? accounted_bytes(bytes) : bytes;
      return Tensor{nullptr, static_cast<std::size_t>(count), element};
    };
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  bool accounted_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

ModelFacts model_facts(const ModelPreset& preset, int image_size, Precision precision) {
  const MixerShape shape(preset, image_size);
  const auto real = [](std::int64_t n) { return static_cast<double>(n); };
  const double embedding = 2 * real(shape.tokens) * real(shape.patch_values) * real(shape.channels);
  const double token_mixing = 4 * real(shape.channels) * real(shape.tokens) * real(shape.token_hidden);
  const double channel_mixing = 4 * real(shape.tokens) * real(shape.channels) * real(shape.channel_hidden);
  const double classifier = 2 * real(shape.channels) * real(shape.classes);

  ModelFacts facts;
  facts.name = preset.name;
  facts.parameters = MixerParameters(shape).count();
  facts.forward_flops_per_image = embedding + real(shape.blocks) * (token_mixing + channel_mixing) + classifier;
  // Backward computes two products for each of forward's, but nobody needs the gradient of the image.
  facts.step_flops_per_image = 3 * facts.forward_flops_per_image - embedding;
  Tally activations(false);
  take_activations(shape, 1, precision, activations.take());
  facts.activation_bytes_per_image = static_cast<std::int64_t>(activations.bytes());
  return facts;
}

std::uint64_t input_image_bytes(int image_size, int batch_size, InputType input_type) {
  return 3 * static_cast<std::uint64_t>(batch_size) * static_cast<std::uint64_t>(image_size) *
         static_cast<std::uint64_t>(image_size) * bytes_per_value(input_type);
}

std::uint64_t input_label_bytes(int batch_size) { return static_cast<std::uint64_t>(batch_size) * sizeof(std::int32_t); }

std::uint64_t planned_device_bytes(const ModelPreset& preset, int image_size, int batch_size, Precision precision,
                                   InputType input_type, int input_buffers) {
  const MixerShape shape(preset, image_size);
  Tally step(true);
  take_parameters(MixerParameters(shape), precision, step.take());
  take_activations(shape, batch_size, precision, step.take());
  const std::uint64_t input = accounted_bytes(input_image_bytes(image_size, batch_size, input_type)) +
                              accounted_bytes(input_label_bytes(batch_size));
  return step.bytes() + static_cast<std::uint64_t>(input_buffers) * input;
}

}  // namespace feedtune
