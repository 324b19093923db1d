#include "cli/replay_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "analyze/roles.hpp"
#include "cli/version.hpp"
#include "core/counted.hpp"
#include "core/read_file.hpp"
#include "search/reference.hpp"
#include "space/recorded_space.hpp"
#include "store/run_folder.hpp"

namespace feedtune {
namespace {

/// A CSV says nothing of its machine. Worker counts are swept to twice the CPUs (DESIGN.md section 2).
double guessed_cpus(const RecordedRuns& trials) {
  std::int64_t most = 0;
  for (const auto& [configuration, runs] : trials) most = std::max(most, configuration.integer("num_workers").value_or(0));
  return std::max(1.0, std::ceil(static_cast<double>(most) / 2));
}

std::vector<TrialRequest> component_requests(const RecordedGrid& grid) {
  std::vector<TrialRequest> requests;
  for (const auto& [purpose, configurations] : grid.runs) {
    if (purpose == Purpose::trial) continue;
    for (const auto& [configuration, runs] : configurations) {
      TrialRequest request;
      request.configuration = configuration;
      request.purpose = purpose;
      requests.push_back(request);
    }
  }
  return requests;
}

bool has_own_baseline(const std::vector<Configuration>& space) {
  std::set<std::int64_t> without, with;
  for (const Configuration& configuration : space) {
    const std::int64_t batch = configuration.integer("batch_size").value_or(0);
    (is_baseline(configuration, static_cast<int>(batch)) ? with : without).insert(batch);
  }
  return std::includes(with.begin(), with.end(), without.begin(), without.end());
}

/// The reference of those that ran.
Configuration reference_of(const RecordedMachine& machine, double cpus) {
  std::vector<Configuration> ran;
  for (const auto& [configuration, runs] : machine.grid().trials())
    if (recorded_rate(runs)) ran.push_back(configuration);
  return pick_reference(ran, cpus);
}

}  // namespace

RecordedGrid read_grid(const std::string& path) {
  return path.ends_with(".csv") ? parse_grid_csv(read_file(path), path) : grid_of(load_run(path), path);
}

SweepPlan make_replay_plan(const Spec& asked, const std::string& file, const RecordedMachine& machine) {
  const RecordedGrid& grid = machine.grid();
  SweepPlan plan;
  Run& run = plan.header;
  run = grid.origin;
  run.tool = tool_facts();
  if (run.started.empty()) {  // a CSV
    run.started = "1970-01-01T00:00:00Z";  // where the replay's clock begins; nothing happens at any other time
    run.device.name = "recorded";
    run.model.name = "recorded";
    run.machine.cpus.effective = guessed_cpus(grid.trials());
    run.machine.cpus.limited_by = "guessed: half of the most workers recorded";
    plan.notes.push_back({.kind = "replay", .text = fmt::format("{} tells nothing of its machine; CPUs are taken to be {:g}, half of the most workers in it",
                                                                file, run.machine.cpus.effective)});
  }
  Spec& spec = run.spec;
  spec.device = run.device.name;
  spec.model = run.model.name;
  spec.current = asked.current;
  spec.strategy = asked.strategy;
  spec.budget = asked.budget;
  spec.seed = asked.seed;
  spec.within = asked.within;
  spec.origin = asked.origin;
  spec.anchors = false;
  spec.cache = CachePolicy::as_is;
  spec.replay = ReplaySource{.file = file, .digest = digest_of(grid)};

  SpaceContext context;
  context.effective_cpus = run.machine.cpus.effective;
  context.device = run.device;
  context.data_images = run.data.images;
  context.current_batch = spec.current ? spec.current->integer("batch_size") : std::nullopt;
  context.user_step = !spec.step_times.empty();
  std::vector<Configuration> space;
  std::int64_t runs = 0;
  for (const auto& [configuration, recorded] : grid.trials()) {
    space.push_back(configuration);
    runs += std::ssize(recorded);
  }
  plan.space = recorded_space(std::move(space), context);
  plan.components = component_requests(grid);
  spec.axes = plan.space.selections;
  if (spec.current) (void)recorded_configuration(*spec.current, plan.space, "current");

  plan.notes.push_back({.kind = "replay", .text = fmt::format("{} of {} recorded in {}; {}", counted(runs, "run"),
                                                              counted(std::ssize(plan.space.configurations), "configuration"), file,
                                                              machine.noise_note())});
  spec.baseline.reset();
  if (!has_own_baseline(plan.space.configurations)) {
    spec.baseline = reference_of(machine, context.effective_cpus);
    plan.notes.push_back({.kind = "replay", .text = "feedtune's baseline was not recorded at every batch size: gains are over the reference, " + spec.baseline->key()});
  }
  return plan;
}

}  // namespace feedtune
