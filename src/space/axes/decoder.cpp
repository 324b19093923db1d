#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_decoder() {
  return text_axis({.name = "decoder",
                    .summary = "turbo: libjpeg-turbo with a Huffman decoder of our own, only the crop's rows and columns; turbo_full: the whole image "
                               "first, as torchvision does; turbo_scaled: crops of four times the output's size "
                               "and more at a half, a quarter or an eighth, not the same pixels; opencv: imdecode",
                    .accepted = {"turbo", "turbo_full", "turbo_scaled", "opencv"},
                    .depends = {"loader"},
                    .unswept = [](const Configuration& configuration, const SpaceContext&) -> std::string {
                      return has_text(configuration, "loader", "pooled") ? "turbo" : "turbo_full";
                    },
                    .set = [](TrialSetup& setup, const std::string& value) { setup.loader.decoder = value; }});
}

}  // namespace feedtune
