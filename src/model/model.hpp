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

/// What a preset costs; exact, from its sizes. FLOPs are those of GEMMs, two for a multiply-add; a step's are three times
/// forward's less the patch embedding's input gradient. Activation bytes are all that grows with the batch, but the
/// input buffers. Throws InputError where the patch does not divide image_size.
ModelFacts model_facts(const ModelPreset& preset, int image_size, Precision precision);

/// Bytes of one input buffer's images (NCHW) and of its labels (int32).
std::uint64_t input_image_bytes(int image_size, int batch_size, InputType input_type);
std::uint64_t input_label_bytes(int batch_size);

/// Device bytes of a trial at that batch, in the device's accounting: equals the device's peak exactly. Two owners:
/// make_mixer() takes weights, momenta, gradients, low-precision weights and activations, all when it is built; the
/// trial takes `input_buffers` times one block of images and one of labels (input_image_bytes, input_label_bytes):
/// 2 when transfers overlap, 1 when they block, 0 where the device reads host memory (facts().copies is false).
std::uint64_t planned_device_bytes(const ModelPreset& preset, int image_size, int batch_size, Precision precision,
                                   InputType input_type, int input_buffers);

struct StepOptions {
  int batch_size = 1;
  int image_size = 224;
  Precision precision = Precision::fp32;
  float rate = 0.001f;  ///< small: the mixer has no normalisation layers, and the step no warm-up
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

/// Allocates everything from `device`, which must outlive the step. Throws OutOfMemory{device}, TrialFailure{unsupported}
/// for a precision the device lacks, InputError where the patch does not divide the image.
std::unique_ptr<TrainingStep> make_mixer(Device& device, const ModelPreset& preset, const StepOptions& options);

}  // namespace feedtune
