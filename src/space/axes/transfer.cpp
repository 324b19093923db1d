#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_transfer() {
  return text_axis({.name = "transfer",
                    .summary = "blocking: copy, then step; overlapped: copy stream and double buffer",
                    .accepted = {"blocking", "overlapped"},
                    .depends = {"host_memory"},
                    .unswept = [](const Configuration& configuration, const SpaceContext&) -> std::string {
                      return has_text(configuration, "host_memory", "pinned") ? "overlapped" : "blocking";
                    },
                    .collapse = [](const Configuration&, const SpaceContext& context) -> std::string {
                      return context.device.copies ? "" : context.device.name + " copies nothing";
                    },
                    .set = [](TrialSetup& setup, const std::string& value) {
                      setup.step.transfer = enum_value<Transfer>(value);
                    }});
}

}  // namespace feedtune
