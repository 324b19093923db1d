#include "model/mixer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "core/error.hpp"
#include "model/random.hpp"

namespace feedtune {

namespace {

/// fp16 gradients of a mean over a batch fall below its smallest value; with this factor the largest possible one
/// (batch of one image) is still far under 65504. bf16 has the range of fp32.
constexpr float fp16_loss_scale = 8192;

void require_precision(const Device& device, Precision precision) {
  const DeviceFacts& facts = device.facts();
  const std::string wanted(to_text(precision));
  if (std::ranges::find(facts.precisions, wanted) == facts.precisions.end())
    throw TrialFailure(TrialStatus::unsupported, fmt::format("device {} has no {} (it has: {})", facts.name, wanted,
                                                             fmt::join(facts.precisions, ", ")));
}

}  // namespace

Mixer::Mixer(Device& device, const ModelPreset& preset, const StepOptions& options)
    : device_(device),
      math_(device.math()),
      options_(options),
      patch_(preset.patch),
      shape_(preset, options.image_size),
      parameters_(shape_),
      loss_scale_(options.precision == Precision::fp16 ? fp16_loss_scale : 1.0f) {
  require_precision(device, options.precision);
  const auto from_device = [this](std::int64_t count, Element element) { return take(count, element); };
  flat_ = take_parameters(parameters_, options.precision, from_device);
  activations_ = take_activations(shape_, options.batch_size, options.precision, from_device);
  initialise(options.seed);
}

Tensor Mixer::take(std::int64_t count, Element element) {
  const auto elements = static_cast<std::size_t>(count);
  memory_.push_back(device_.memory().allocate(elements * math_.element_bytes(element)));
  return {memory_.back().address(), elements, element};
}

void Mixer::initialise(std::uint64_t seed) {
  const auto stream = device_.create_stream();
  // The padding between parameters included, which the update reads.
  math_.fill_zero(*stream, flat_.weights);
  math_.fill_zero(*stream, flat_.momentum);
  math_.fill_zero(*stream, flat_.gradient);
  if (flat_.copy.address != nullptr) math_.fill_zero(*stream, flat_.copy);
  const auto done = device_.create_event();
  stream->record(*done);
  done->synchronize();

  UniformNumbers numbers(seed);
  std::vector<float> values;
  for (const LinearLayer* layer : parameters_.all()) {
    values.resize(static_cast<std::size_t>(layer->inputs * layer->outputs));
    for (float& value : values) value = numbers.next(layer->deviation);
    math_.upload(part(flat_.weights, layer->weight_offset, layer->inputs * layer->outputs), values);
    if (flat_.copy.address != nullptr) math_.upload(weight(*layer), values);
  }
}

void Mixer::forward(Stream& stream, const Tensor& input) {
  const std::int64_t batch = options_.batch_size;
  const std::int64_t token_rows = batch * shape_.tokens;
  const std::int64_t channel_rows = batch * shape_.channels;
  const ActivationTensors& a = activations_;
  math_.extract_patches(stream, input, a.patches, batch, options_.image_size, patch_);
  apply(stream, parameters_.embedding, a.patches, a.running, token_rows);
  math_.bias_residual(stream, a.running, bias(parameters_.embedding), Tensor{}, a.running, token_rows, shape_.channels);

  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    const MixerParameters::Block& p = parameters_.blocks[i];
    const ActivationTensors::Block& b = a.blocks[i];
    math_.transpose(stream, a.running, Tensor{}, Tensor{}, b.turned, batch, shape_.tokens, shape_.channels);
    apply(stream, p.token_in, b.turned, b.token_pre, channel_rows);
    math_.bias_gelu(stream, b.token_pre, bias(p.token_in), b.token_hidden, channel_rows, shape_.token_hidden);
    apply(stream, p.token_out, b.token_hidden, a.scratch, channel_rows);
    math_.transpose(stream, a.scratch, bias(p.token_out), a.running, b.mixed, batch, shape_.channels, shape_.tokens);

    apply(stream, p.channel_in, b.mixed, b.channel_pre, token_rows);
    math_.bias_gelu(stream, b.channel_pre, bias(p.channel_in), b.channel_hidden, token_rows, shape_.channel_hidden);
    apply(stream, p.channel_out, b.channel_hidden, a.scratch, token_rows);
    math_.bias_residual(stream, a.scratch, bias(p.channel_out), b.mixed, a.running, token_rows, shape_.channels);
  }

  math_.mean_pool(stream, a.running, a.pooled, batch, shape_.tokens, shape_.channels);
  apply(stream, parameters_.classifier, a.pooled, a.logits, batch);
  math_.bias_residual(stream, a.logits, bias(parameters_.classifier), Tensor{}, a.logits, batch, shape_.classes);
}

void Mixer::backward(Stream& stream, const std::byte* labels) {
  const std::int64_t batch = options_.batch_size;
  const std::int64_t token_rows = batch * shape_.tokens;
  const std::int64_t channel_rows = batch * shape_.channels;
  const ActivationTensors& a = activations_;
  math_.softmax_cross_entropy(stream, a.logits, labels, a.losses, batch, shape_.classes, loss_scale_);
  math_.bias_backward(stream, a.logits, bias_gradient(parameters_.classifier), batch, shape_.classes);
  collect(stream, parameters_.classifier, a.pooled, a.logits, batch);
  push_back(stream, parameters_.classifier, a.logits, a.pooled_gradient, batch, false);
  math_.mean_pool_backward(stream, a.pooled_gradient, a.running, batch, shape_.tokens, shape_.channels);

  // From here `running` is the gradient of the residual stream; each branch adds its part to it.
  for (std::size_t i = a.blocks.size(); i-- > 0;) {
    const MixerParameters::Block& p = parameters_.blocks[i];
    const ActivationTensors::Block& b = a.blocks[i];
    math_.bias_backward(stream, a.running, bias_gradient(p.channel_out), token_rows, shape_.channels);
    collect(stream, p.channel_out, b.channel_hidden, a.running, token_rows);
    push_back(stream, p.channel_out, a.running, b.channel_hidden, token_rows, false);
    math_.bias_gelu_backward(stream, b.channel_pre, b.channel_hidden, bias_gradient(p.channel_in), token_rows,
                             shape_.channel_hidden);
    collect(stream, p.channel_in, b.mixed, b.channel_hidden, token_rows);
    push_back(stream, p.channel_in, b.channel_hidden, a.running, token_rows, true);

    math_.transpose(stream, a.running, Tensor{}, Tensor{}, a.scratch, batch, shape_.tokens, shape_.channels);
    math_.bias_backward(stream, a.scratch, bias_gradient(p.token_out), channel_rows, shape_.tokens);
    collect(stream, p.token_out, b.token_hidden, a.scratch, channel_rows);
    push_back(stream, p.token_out, a.scratch, b.token_hidden, channel_rows, false);
    math_.bias_gelu_backward(stream, b.token_pre, b.token_hidden, bias_gradient(p.token_in), channel_rows,
                             shape_.token_hidden);
    collect(stream, p.token_in, b.turned, b.token_hidden, channel_rows);
    push_back(stream, p.token_in, b.token_hidden, a.scratch, channel_rows, true);
    math_.transpose(stream, a.scratch, Tensor{}, Tensor{}, a.running, batch, shape_.channels, shape_.tokens);
  }
  math_.bias_backward(stream, a.running, bias_gradient(parameters_.embedding), token_rows, shape_.channels);
  collect(stream, parameters_.embedding, a.patches, a.running, token_rows);
}

void Mixer::update(Stream& stream) {
  math_.sgd_momentum(stream, flat_.weights, flat_.momentum, flat_.gradient, flat_.copy, options_.rate, options_.momentum,
                     loss_scale_);
}

double Mixer::loss() {
  std::vector<float> losses(activations_.losses.count);
  math_.download(activations_.losses, losses);
  double sum = 0;
  for (const float loss : losses) sum += static_cast<double>(loss);
  return sum / static_cast<double>(losses.size());
}

Tensor Mixer::part(const Tensor& flat, std::int64_t offset, std::int64_t count) const {
  return {flat.address + static_cast<std::size_t>(offset) * math_.element_bytes(flat.element),
          static_cast<std::size_t>(count), flat.element};
}

Tensor Mixer::weight(const LinearLayer& layer) const {
  const Tensor& flat = flat_.copy.address != nullptr ? flat_.copy : flat_.weights;
  return part(flat, layer.weight_offset, layer.inputs * layer.outputs);
}

Tensor Mixer::weight_gradient(const LinearLayer& layer) const {
  return part(flat_.gradient, layer.weight_offset, layer.inputs * layer.outputs);
}

Tensor Mixer::bias(const LinearLayer& layer) const { return part(flat_.weights, layer.bias_offset, layer.outputs); }

Tensor Mixer::bias_gradient(const LinearLayer& layer) const {
  return part(flat_.gradient, layer.bias_offset, layer.outputs);
}

void Mixer::apply(Stream& stream, const LinearLayer& layer, const Tensor& x, const Tensor& out, std::int64_t rows) {
  math_.gemm(stream, {.m = rows, .n = layer.outputs, .k = layer.inputs, .a = x, .b = weight(layer), .c = out,
                      .precision = options_.precision});
}

void Mixer::collect(Stream& stream, const LinearLayer& layer, const Tensor& x, const Tensor& gradient,
                    std::int64_t rows) {
  math_.gemm(stream, {.m = layer.inputs, .n = layer.outputs, .k = rows, .transpose_a = true, .a = x, .b = gradient,
                      .c = weight_gradient(layer), .precision = options_.precision});
}

void Mixer::push_back(Stream& stream, const LinearLayer& layer, const Tensor& gradient, const Tensor& out,
                      std::int64_t rows, bool accumulate) {
  math_.gemm(stream, {.m = rows, .n = layer.inputs, .k = layer.outputs, .transpose_b = true, .accumulate = accumulate,
                      .a = gradient, .b = weight(layer), .c = out, .precision = options_.precision});
}

std::unique_ptr<TrainingStep> make_mixer(Device& device, const ModelPreset& preset, const StepOptions& options) {
  return std::make_unique<Mixer>(device, preset, options);
}

}  // namespace feedtune
