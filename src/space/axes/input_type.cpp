#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_input_type() {
  return text_axis({.name = "input_type",
                    .summary = "what is shipped to the device; uint8 is a quarter of float32's bytes and is normalised "
                               "on the device, float16 is half",
                    .accepted = {"uint8", "float32", "float16"},
                    .depends = {"loader"},
                    .unswept = [](const Configuration& configuration, const SpaceContext&) -> std::string {
                      return has_text(configuration, "loader", "pooled") ? "uint8" : "float32";
                    },
                    .set = [](TrialSetup& setup, const std::string& value) {
                      setup.loader.input_type = enum_value<InputType>(value);
                    }});
}

}  // namespace feedtune
