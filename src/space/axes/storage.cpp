#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_storage() {
  return text_axis({.name = "storage",
                    .summary = "files: as they lie; memory: encoded files held in RAM, which takes the disk out",
                    .accepted = {"files", "memory"},
                    .unswept = always<std::string>("files"),
                    .set = [](TrialSetup& setup, const std::string& value) {
                      setup.loader.storage = enum_value<Storage>(value);
                    }});
}

}  // namespace feedtune
