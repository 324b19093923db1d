#pragma once
// The training step: a mixer of GEMMs (patch embedding, token mixing, channel mixing, classifier) with real forward,
// loss, backward and SGD with momentum. All memory is taken from the Device when the step is built.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/enums.hpp"
#include "core/facts.hpp"
#include "device/device.hpp"

namespace feedtune {

/// Sizes of one preset. After Tolstikhin et al., "MLP-Mixer" (2021), without layer normalisation.
struct ModelPreset {
  std::string name;
  int patch = 16;              ///< side of a patch, pixels; divides the image size
  int channels = 512;          ///< width of a token
  int token_hidden = 256;
  int channel_hidden = 2048;
  int blocks = 8;
  int classes = 1000;
};

const std::vector<ModelPreset>& model_presets();
/// Throws InputError with the known names (and the nearest) for an unknown one.
const ModelPreset& model_preset(std::string_view name);

/// What a preset costs; exact, from its sizes.
ModelFacts model_facts(const ModelPreset& preset, int image_size, Precision precision);

/// Device bytes of a step built for that batch: equals the device's peak exactly (input buffers included, `copies`
/// of them: 2 when overlapped).
std::uint64_t planned_device_bytes(const ModelPreset& preset, int image_size, int batch_size, Precision precision,
                                   InputType input_type, int input_buffers);

struct StepOptions {
  int batch_size = 1;
  int image_size = 224;
  Precision precision = Precision::fp32;
  float rate = 0.01f;
  float momentum = 0.9f;
  std::uint64_t seed = 1;  ///< of the initial weights
};

/// One training step's work, queued on a stream in three parts so that events can be put between them.
class TrainingStep {
 public:
  virtual ~TrainingStep() = default;
  /// input: the batch on the device (NCHW); labels: int32 per image on the device.
  virtual void forward(Stream& stream, const Tensor& input) = 0;
  virtual void backward(Stream& stream, const std::byte* labels) = 0;  ///< loss and backward
  virtual void update(Stream& stream) = 0;
  /// Mean loss of the last step; waits for it. Tests and reports only, never the measured loop.
  virtual double loss() = 0;
};

/// Allocates everything; throws OutOfMemory{device}, or TrialFailure{unsupported} for a precision the device lacks.
std::unique_ptr<TrainingStep> make_mixer(Device& device, const ModelPreset& preset, const StepOptions& options);

}  // namespace feedtune
