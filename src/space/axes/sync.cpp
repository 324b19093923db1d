#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_sync() {
  return text_axis({.name = "sync",
                    .summary = "none: the host waits for step i-2 only; each: for every step, as loss.item() does",
                    .accepted = {"none", "each"},
                    .unswept = always<std::string>("none"),
                    .set = [](TrialSetup& setup, const std::string& value) {
                      setup.step.sync = enum_value<Sync>(value);
                    }});
}

}  // namespace feedtune
