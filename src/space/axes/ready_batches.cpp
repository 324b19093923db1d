#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_ready_batches() {
  return integer_axis({.name = "ready_batches",
                       .unit = "batches",
                       .summary = "finished or filling batches in total (pooled)",
                       .most = 4096,
                       .depends = {"loader", "num_workers"},
                       .defaults = [](const SpaceContext&) { return std::vector<std::int64_t>{2, 4, 8}; },
                       .unswept = always<std::int64_t>(4),
                       .collapse = [](const Configuration& configuration, const SpaceContext&) -> std::string {
                         if (!has_text(configuration, "loader", "pooled")) return "only pooled has it";
                         return without_workers(configuration) ? "0 workers load nothing ahead" : "";
                       },
                       .set = [](TrialSetup& setup, int value) { setup.loader.ready_batches = value; }});
}

}  // namespace feedtune
