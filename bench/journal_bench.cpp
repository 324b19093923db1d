#include <benchmark/benchmark.h>

#include <filesystem>

#include "benchmarks.hpp"
#include "store/run_folder.hpp"

namespace feedtune {

void register_journal(const std::string& folder) {
  benchmark::RegisterBenchmark("journal/append", [folder](benchmark::State& state) {
    std::filesystem::remove_all(folder);
    {
      RunFolder run = RunFolder::create(folder, Run{});
      TrialResult trial;
      trial.images_per_s = Interval{1000, 990, 1010, 20};
      trial.step_us.assign(200, 64000);
      for (const char* phase : phase_names) trial.phases[phase] = {1, 1, 2, 3, 4, 200, {{80, 100}, {88, 100}}};
      for (auto _ : state) {
        ++trial.id;
        run.append(trial);
      }
    }
    state.SetItemsProcessed(state.iterations());
    std::filesystem::remove_all(folder);
  })->Unit(benchmark::kMicrosecond)->UseRealTime()->Iterations(200);
}

}  // namespace feedtune
