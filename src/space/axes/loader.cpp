#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_loader() {
  return text_axis({.name = "loader",
                    .summary = "batch_per_worker: one whole batch a worker, in order, as PyTorch does; pooled: workers "
                               "share the images of a batch and write into its final buffer",
                    .accepted = {"batch_per_worker", "pooled"},
                    .unswept = always<std::string>("batch_per_worker"),
                    .swept_by_default = true,
                    .set = [](TrialSetup& setup, const std::string& value) {
                      setup.loader.kind = enum_value<LoaderKind>(value);
                    }});
}

}  // namespace feedtune
