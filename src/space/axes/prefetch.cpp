#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_prefetch() {
  return integer_axis({.name = "prefetch",
                       .unit = "batches per worker",
                       .summary = "batches loaded ahead per worker (PyTorch's prefetch_factor)",
                       .most = 1024,
                       .depends = {"loader", "num_workers"},
                       .defaults = [](const SpaceContext&) { return std::vector<std::int64_t>{1, 2, 4}; },
                       .unswept = always<std::int64_t>(2),
                       .collapse = [](const Configuration& configuration, const SpaceContext&) -> std::string {
                         if (has_text(configuration, "loader", "pooled")) return "pooled goes by ready_batches";
                         return without_workers(configuration) ? "0 workers load nothing ahead" : "";
                       },
                       .set = [](TrialSetup& setup, int value) { setup.loader.prefetch = value; }});
}

}  // namespace feedtune
