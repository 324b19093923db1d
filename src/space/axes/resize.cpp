#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_resize() {
  return text_axis({.name = "resize",
                    .summary = "filter of the resize; antialias averages what it shrinks, as torchvision does",
                    .accepted = {"antialias", "linear"},
                    .unswept = always<std::string>("antialias"),
                    .set = [](TrialSetup& setup, const std::string& value) {
                      setup.loader.resize = enum_value<Resize>(value);
                    }});
}

}  // namespace feedtune
