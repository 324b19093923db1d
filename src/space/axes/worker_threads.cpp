#include "space/axis_kinds.hpp"

namespace feedtune {

Axis make_worker_threads() {
  return integer_axis({.name = "worker_threads",
                       .unit = "threads per worker",
                       .summary = "threads that split each worker's rows, as torch's intra-op threads do",
                       .most = 1024,
                       .depends = {"num_workers"},
                       .defaults = [](const SpaceContext&) { return std::vector<std::int64_t>{1, 2}; },
                       .unswept = always<std::int64_t>(1),
                       .collapse = [](const Configuration& configuration, const SpaceContext&) -> std::string {
                         return without_workers(configuration) ? "there are 0 workers" : "";
                       },
                       .set = [](TrialSetup& setup, int value) { setup.loader.worker_threads = value; }});
}

}  // namespace feedtune
