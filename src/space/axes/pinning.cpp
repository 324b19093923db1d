#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_pinning() {
  return text_axis({.name = "pinning",
                    .summary = "how batch buffers become pinned: alloc: allocated so by the driver; register: ordinary memory (huge "
                               "pages), then registered with it",
                    .accepted = {"alloc", "register"},
                    .depends = {"host_memory"},
                    .unswept = always<std::string>("alloc"),
                    .collapse = [](const Configuration& configuration, const SpaceContext& context) -> std::string {
                      if (!context.device.copies) return context.device.name + " copies nothing";
                      return has_text(configuration, "host_memory", "pinned") ? "" : "pageable memory is not pinned";
                    },
                    .set = [](TrialSetup& setup, const std::string& value) {
                      setup.loader.pinning = enum_value<Pinning>(value);
                    }});
}

}  // namespace feedtune
