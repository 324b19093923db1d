#pragma once
#include "../analyze/run_builder.hpp"

namespace feedtune::testing {

inline void add_phases(TrialResult& t, double data_wait, double step, double idle) {
  for (const auto& [name, ms] : {std::pair{"data_wait", data_wait},
                                 {"h2d", 3.0},
                                 {"h2d_exposed", 0.5},
                                 {"forward", 9.0},
                                 {"backward", 18.0},
                                 {"update", 2.0},
                                 {"step", step},
                                 {"device_idle", idle}})
    t.phases[name].mean = ms;
}

/// A run whose answer is known: pooled with 2, 4 and 8 workers equally fast, PyTorch's best at 700, current at 300.
inline RunBuilder example_run() {
  RunBuilder b;
  b.run.spec.current = make({.batch = 64, .workers = 1, .memory = "pageable"});
  b.component(Purpose::loader_only, make({.workers = 8, .loader = "pooled"}), 1500);
  b.component(Purpose::copy_only, make({}), 20000);
  b.component(Purpose::step_only, make({}), 2000);
  const std::pair<Configuration, double> rates[] = {{make({.workers = 2, .loader = "pooled"}), 1000},
                                                    {make({.workers = 4, .loader = "pooled"}), 1001},
                                                    {make({.workers = 8, .loader = "pooled"}), 1002},
                                                    {make({.workers = 8}), 700},
                                                    {*b.run.spec.current, 300},
                                                    {baseline_at(64), 200},
                                                    {make({.batch = 128, .workers = 8, .loader = "pooled"}), 1100}};
  for (const auto& [c, rate] : rates) add_phases(b.explore(c, rate), 1, 64, 1);
  for (int block = 1; block <= 8; ++block)
    for (const auto& [c, rate] : rates) {
      const double wobble = 1 + 0.001 * ((block + static_cast<int>(rate)) % 3 - 1);
      const bool slow = rate <= 300;
      add_phases(b.confirm(c, block, rate * wobble), slow ? 250 : 26, 64000 / rate, slow ? 240 : 26);
    }
  b.fail(make({.batch = 512}), TrialStatus::out_of_memory, "out of device memory: asked for 9 bytes, limit 8 bytes");
  return b;
}

}  // namespace feedtune::testing
