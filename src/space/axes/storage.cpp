#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_storage() {
  return text_axis({.name = "storage",
                    .summary = "files: as they lie; memory: encoded files held in RAM, which takes the disk out; packed: "
                               "few large files made by `feedtune pack`, read where they lie",
                    .accepted = {"files", "memory", "packed"},
                    .unswept = [](const Configuration&, const SpaceContext& context) { return context.storage; },
                    .lacks = [](const std::string& value, const SpaceContext& context) -> std::string {
                      const auto missing = context.storage_missing.find(value);
                      return missing == context.storage_missing.end() ? "" : missing->second;
                    },
                    .set = [](TrialSetup& setup, const std::string& value) {
                      setup.loader.storage = enum_value<Storage>(value);
                    }});
}

}  // namespace feedtune
