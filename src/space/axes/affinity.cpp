#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_affinity() {
  return text_axis({.name = "affinity",
                    .summary = "workers pinned to cores, to the device's NUMA node, or not at all",
                    .accepted = {"none", "cores", "node"},
                    .depends = {"num_workers"},
                    .unswept = always<std::string>("none"),
                    .collapse = [](const Configuration& configuration, const SpaceContext&) -> std::string {
                      return without_workers(configuration) ? "there are 0 workers" : "";
                    },
                    .set = [](TrialSetup& setup, const std::string& value) {
                      setup.loader.affinity = enum_value<Affinity>(value);
                    }});
}

}  // namespace feedtune
