#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_host_memory() {
  return text_axis({.name = "host_memory",
                    .summary = "kind of the buffer that the host-to-device copy reads",
                    .accepted = {"pageable", "pinned"},
                    .unswept = always<std::string>("pageable"),
                    .swept_by_default = true,
                    .collapse = [](const Configuration&, const SpaceContext& context) -> std::string {
                      return context.device.copies ? "" : context.device.name + " copies nothing";
                    },
                    .set = [](TrialSetup& setup, const std::string& value) {
                      setup.loader.host_memory = enum_value<HostMemory>(value);
                    }});
}

}  // namespace feedtune
