#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "model/model.hpp"

namespace feedtune {

// s32, s16, b16 and l16 have the sizes of table 1 of Tolstikhin et al. (2021); the others continue it downwards. What a
// step of each costs stands in model_facts(). nano is chosen so that on the cpu device an image's share of the step takes
// about as much CPU time as loading it (1.2 to 2 ms of one core at 224 pixels).
const std::vector<ModelPreset>& model_presets() {
  static const std::vector<ModelPreset> presets = {
      {.name = "mixer-pico", .patch = 32, .channels = 16, .token_hidden = 32, .channel_hidden = 64, .blocks = 2},
      {.name = "mixer-nano", .patch = 32, .channels = 64, .token_hidden = 64, .channel_hidden = 256, .blocks = 2},
      {.name = "mixer-tiny", .patch = 16, .channels = 192, .token_hidden = 96, .channel_hidden = 768, .blocks = 8},
      {.name = "mixer-s32", .patch = 32, .channels = 512, .token_hidden = 256, .channel_hidden = 2048, .blocks = 8},
      {.name = "mixer-s16", .patch = 16, .channels = 512, .token_hidden = 256, .channel_hidden = 2048, .blocks = 8},
      {.name = "mixer-b16", .patch = 16, .channels = 768, .token_hidden = 384, .channel_hidden = 3072, .blocks = 12},
      {.name = "mixer-l16", .patch = 16, .channels = 1024, .token_hidden = 512, .channel_hidden = 4096, .blocks = 24},
  };
  return presets;
}

const ModelPreset& model_preset(std::string_view name) {
  std::vector<std::string> names;
  for (const ModelPreset& preset : model_presets()) {
    if (preset.name == name) return preset;
    names.push_back(preset.name);
  }
  throw InputError("model", fmt::format("\"{}\" is unknown{} (known: {})", name, did_you_mean(name, names), joined(names)));
}

}  // namespace feedtune
