#pragma once
#include <vector>

#include "model/layout.hpp"
#include "model/model.hpp"

namespace feedtune {

/// The training step behind make_mixer(); tests look at its parameters.
class Mixer final : public TrainingStep {
 public:
  /// Takes all of the step's memory from `device`, which must outlive it. Errors as make_mixer().
  Mixer(Device& device, const ModelPreset& preset, const StepOptions& options);

  void forward(Stream& stream, const Tensor& input) override;
  void backward(Stream& stream, const std::byte* labels) override;
  void update(Stream& stream) override;
  double loss() override;

  const MixerParameters& parameters() const { return parameters_; }
  const ParameterTensors& parameter_tensors() const { return flat_; }
  const ActivationTensors& activations() const { return activations_; }
  /// Gradients are this times the loss's.
  float loss_scale() const { return loss_scale_; }

 private:
  Tensor take(std::int64_t count, Element element);
  void initialise(std::uint64_t seed);
  Tensor part(const Tensor& flat, std::int64_t offset, std::int64_t count) const;
  Tensor weight(const LinearLayer& layer) const;
  Tensor weight_gradient(const LinearLayer& layer) const;
  Tensor bias(const LinearLayer& layer) const;
  Tensor bias_gradient(const LinearLayer& layer) const;
  /// out [rows][outputs] = x W
  void apply(Stream& stream, const LinearLayer& layer, const Tensor& x, const Tensor& out, std::int64_t rows);
  /// The weights' gradient = x^T gradient
  void collect(Stream& stream, const LinearLayer& layer, const Tensor& x, const Tensor& gradient, std::int64_t rows);
  /// out [rows][inputs] = (or, accumulating, +=) gradient W^T
  void push_back(Stream& stream, const LinearLayer& layer, const Tensor& gradient, const Tensor& out, std::int64_t rows,
                 bool accumulate);

  Device& device_;
  DeviceMath& math_;
  StepOptions options_;
  int patch_;
  MixerShape shape_;
  MixerParameters parameters_;
  float loss_scale_;
  std::vector<DeviceBuffer> memory_;
  ParameterTensors flat_;
  ActivationTensors activations_;
};

}  // namespace feedtune
