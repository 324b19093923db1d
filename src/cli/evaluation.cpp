#include "cli/evaluation.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "analyze/recommend.hpp"
#include "cli/version.hpp"
#include "replay/replay_runner.hpp"
#include "search/strategy.hpp"

namespace feedtune {
namespace {

/// A record as it is, or with all its configurations made equal.
struct Arena {
  RecordedMachine machine;
  SweepPlan plan;
  MachineTruth truth;

  Arena(RecordedGrid grid, const std::string& file, const EvaluationRequest& request)
      : machine(std::move(grid), request.first_seed), plan(make_replay_plan(spec_of(request), file, machine)) {
    truth.fastest_images_per_s = fastest_recorded_rate(machine.grid());
    truth.exhaustive_s = exhaustive_cost_s(machine.grid());
    truth.images_per_s = [&machine = machine](const Configuration& configuration) { return machine.true_images_per_s(configuration); };
    if (request.budget.share) plan.header.spec.budget.seconds = *request.budget.share * truth.exhaustive_s;
  }
  Arena(const Arena&) = delete;  // the truth asks the machine
  Arena& operator=(const Arena&) = delete;

 private:
  static Spec spec_of(const EvaluationRequest& request) {
    Spec spec;
    spec.budget = request.budget.fixed;
    spec.within = request.within;
    return spec;
  }
};

struct Sweep {
  const Arena* arena;
  std::string strategy;
  std::uint64_t seed;
};

SearchOutcome outcome_of(const Sweep& sweep) {
  SweepPlan plan = sweep.arena->plan;
  Spec& spec = plan.header.spec;
  spec.strategy = sweep.strategy;
  spec.seed = sweep.seed;
  const RecordedMachine machine = sweep.arena->machine.with_seed(sweep.seed);
  ReplayRunner runner(machine);
  const RecommendOptions options{.within = spec.within};
  SweepHooks hooks;
  hooks.next_to_confirm = [&](const Run& so_far) { return next_to_confirm(so_far, options); };
  Run run = run_sweep(plan, runner, hooks);
  run.recommendation = recommend(run, options);
  return judge_search(run, sweep.arena->truth);
}

/// Each outcome stands where its sweep does, whichever thread made it.
std::vector<SearchOutcome> outcomes_of(const std::vector<Sweep>& sweeps, unsigned threads) {
  std::vector<SearchOutcome> outcomes(sweeps.size());
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < sweeps.size(); i = next++) outcomes[i] = outcome_of(sweeps[i]);
    } catch (...) {
      const std::lock_guard lock(failing);
      failure = std::current_exception();
      next = sweeps.size();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return outcomes;
}

EvaluatedReplay replay_of(const Arena& arena, const std::string& file) {
  EvaluatedReplay replay;
  replay.file = file;
  replay.digest = arena.plan.header.spec.replay->digest;
  replay.configurations = std::ssize(arena.plan.space.configurations);
  for (const auto& [configuration, runs] : arena.machine.grid().trials()) replay.runs += std::ssize(runs);
  replay.exhaustive_s = arena.truth.exhaustive_s;
  replay.fastest_images_per_s = arena.truth.fastest_images_per_s;
  for (const RunNote& note : arena.plan.notes) replay.notes.push_back(note.text);
  return replay;
}

}  // namespace

Evaluation evaluate(const EvaluationRequest& request) {
  for (const std::string& strategy : request.strategies) (void)strategy_named(strategy);
  Evaluation evaluation;
  evaluation.tool = tool_facts();
  evaluation.first_seed = request.first_seed;
  evaluation.seeds = request.seeds;
  evaluation.budget = request.budget.text;

  std::vector<std::unique_ptr<Arena>> arenas;  // of each file: as recorded, then A/A
  for (const std::string& file : request.files) {
    RecordedGrid grid = read_grid(file);
    RecordedGrid equal = all_equal(grid);
    arenas.push_back(std::make_unique<Arena>(std::move(grid), file, request));
    evaluation.replays.push_back(replay_of(*arenas.back(), file));
    arenas.push_back(std::make_unique<Arena>(std::move(equal), file, request));
  }

  std::vector<Sweep> sweeps;
  for (std::size_t file = 0; file < request.files.size(); ++file)
    for (const std::string& strategy : request.strategies)
      for (const std::size_t equal : {0, 1})
        for (std::int64_t i = 0; i < request.seeds; ++i)
          sweeps.push_back({arenas[2 * file + equal].get(), strategy, request.first_seed + static_cast<std::uint64_t>(i)});
  const std::vector<SearchOutcome> outcomes = outcomes_of(sweeps, request.threads);

  std::span<const SearchOutcome> rest = outcomes;
  const auto take = [&] {
    const auto taken = rest.first(static_cast<std::size_t>(request.seeds));
    rest = rest.subspan(taken.size());
    return score(taken);
  };
  for (const std::string& file : request.files)
    for (const std::string& strategy : request.strategies) {
      StrategyScore scored;
      scored.file = file;
      scored.strategy = strategy;
      scored.score = take();
      scored.aa_false_positive = take().false_gain;
      evaluation.scores.push_back(std::move(scored));
    }
  return evaluation;
}

}  // namespace feedtune
