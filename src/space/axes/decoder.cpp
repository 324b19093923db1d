#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_decoder() {
  return text_axis({.name = "decoder",
                    .summary = "turbo: libjpeg-turbo, only the crop's rows and columns; turbo_full: the whole image "
                               "first, as torchvision does; opencv: imdecode",
                    .accepted = {"turbo", "turbo_full", "opencv"},
                    .depends = {"loader"},
                    .unswept = [](const Configuration& configuration, const SpaceContext&) -> std::string {
                      return has_text(configuration, "loader", "pooled") ? "turbo" : "turbo_full";
                    },
                    .set = [](TrialSetup& setup, const std::string& value) { setup.loader.decoder = value; }});
}

}  // namespace feedtune
