#pragma once
// What a mixer consists of: its parameters in one flat array, and every tensor that a step needs. The planner and the
// step itself take their tensors from the same functions, so that a plan is exact by construction.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/enums.hpp"
#include "device/math.hpp"
#include "model/model.hpp"

namespace feedtune {

/// Sizes of a mixer at one image size, in elements per image where they grow with the batch.
struct MixerShape {
  /// Throws InputError where the patch does not divide the image.
  MixerShape(const ModelPreset& preset, int image_size);
  std::int64_t tokens = 0;
  std::int64_t patch_values = 0;  ///< 3 * patch * patch
  std::int64_t channels = 0;
  std::int64_t token_hidden = 0;
  std::int64_t channel_hidden = 0;
  std::int64_t blocks = 0;
  std::int64_t classes = 0;
};

/// A weight matrix [inputs][outputs] with its bias [outputs], as positions in the flat parameter array.
struct LinearLayer {
  std::string name;  ///< "blocks.3.token.in"
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t weight_offset = 0;
  std::int64_t bias_offset = 0;
  float deviation = 0;  ///< of the initial weights; biases start at 0
};

struct MixerParameters {
  explicit MixerParameters(const MixerShape& shape);
  LinearLayer embedding;
  struct Block {
    LinearLayer token_in, token_out, channel_in, channel_out;
  };
  std::vector<Block> blocks;
  LinearLayer classifier;
  std::int64_t padded_count = 0;  ///< length of the flat array: each weight and bias starts at a multiple of 64
  std::vector<const LinearLayer*> all() const;
  std::int64_t count() const;  ///< of true parameters
};

/// Element of activations and GEMMs at a precision.
Element compute_element(Precision precision);

/// Returns a tensor of so many elements; the planner's has no address.
using TakeTensor = std::function<Tensor(std::int64_t count, Element element)>;

struct ParameterTensors {
  Tensor weights, momentum, gradient;  ///< f32
  Tensor copy;                         ///< weights in the compute element; no address and no count where that is f32
};
ParameterTensors take_parameters(const MixerParameters& parameters, Precision precision, const TakeTensor& take);

/// Rows are tokens of all images in turn, or (transposed) channels of all images in turn.
struct ActivationTensors {
  Tensor patches;   ///< [batch * tokens][patch_values]
  Tensor running;   ///< [batch * tokens][channels]: the residual stream, then its gradient
  Tensor scratch;   ///< as large as `running`: a branch's output, then the transposed gradient
  struct Block {
    Tensor turned;          ///< [batch * channels][tokens]: input of token mixing, transposed
    Tensor token_pre;       ///< [batch * channels][token_hidden] before GELU
    Tensor token_hidden;    ///< after it, then its gradient
    Tensor mixed;           ///< [batch * tokens][channels]: after token mixing
    Tensor channel_pre;     ///< [batch * tokens][channel_hidden] before GELU
    Tensor channel_hidden;  ///< after it, then its gradient
  };
  std::vector<Block> blocks;
  Tensor pooled, pooled_gradient;  ///< [batch][channels]
  Tensor logits;                   ///< [batch][classes], then their gradient
  Tensor losses;                   ///< [batch], f32
};
ActivationTensors take_activations(const MixerShape& shape, std::int64_t batch, Precision precision,
                                   const TakeTensor& take);

}  // namespace feedtune
