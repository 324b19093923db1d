#include "sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "core/counted.hpp"
#include "core/error.hpp"
#include "search/memory_dominance.hpp"
#include "search/reference.hpp"
#include "search/shuffle.hpp"
#include "search/strategy.hpp"
#include "space/recorded_space.hpp"
#include "sweep/components.hpp"
#include "sweep/drift.hpp"
#include "sweep/trial_book.hpp"

namespace feedtune {
namespace {

constexpr int least_confirm_blocks = 3;
constexpr std::int64_t least_confirm_trials = 100;  ///< that confirmation may take without a budget
const std::vector<Configuration>& not_empty(const std::vector<Configuration>& space) {
  if (space.empty()) throw SpecError("axes", "no configuration to try: the search space is empty");
  return space;
}

constexpr std::uint64_t confirm_stream = 1000;  ///< of the seed; strategies use the first few

class Sweep {
 public:
  Sweep(const SweepPlan& plan, TrialRunner& runner, const SweepHooks& hooks, const Run* recorded)
      : plan_(plan),
        spec_(plan.header.spec),
        hooks_(hooks),
        reference_(pick_reference(not_empty(plan.space.configurations), plan.space.context.effective_cpus)),
        target_{.min_time_s = spec_.trial_time_s / 3, .max_time_s = spec_.trial_time_s, .relative_half_width = 0.01, .cache = spec_.cache},
        strategy_entry_(plan.strategy ? *plan.strategy : strategy_named(spec_.strategy)),
        book_(plan, runner, hooks, recorded) {
    if (spec_.current) dropped_of_current_ = complete(*spec_.current, plan.space, "current").dropped;
  }

  Run run() {
    for (const RunNote& note : plan_.notes) book_.note(note.kind, note.text);
    for (const std::string& text : plan_.space.collapsed) book_.note("collapsed", text);
    for (const std::string& text : plan_.space.left_out) book_.note("collapsed", "batch_size: " + text);
    for (const std::string& text : dropped_of_current_) book_.note("collapsed", "current: " + text);
    measure_components();
    if (!book_.stopped() && spec_.anchors) measure_anchors();
    if (!book_.stopped()) explore();
    if (!book_.stopped()) confirm();
    if (book_.stopped())
      book_.note("interrupted", fmt::format("stopped after {}: {}", counted(std::ssize(book_.run().trials), "trial"), book_.stopped_because()));
    const bool complete = !book_.stopped();
    Run run = book_.take();
    run.complete = complete;
    return run;
  }

 private:
  void measure_components() {
    const std::vector<TrialRequest> requests = plan_.components ? *plan_.components : component_requests(plan_.space, spec_);
    book_.start_stage("component", static_cast<int>(requests.size()));
    for (const TrialRequest& request : requests)
      if (!book_.may_go_on() || !book_.measure(request, plan_.base)) return;
  }

  void measure_anchors() {
    if (plan_.anchors.empty()) return;
    book_.start_stage("anchor", static_cast<int>(plan_.anchors.size()));
    for (const AnchorTrial& anchor : plan_.anchors) {
      TrialRequest request;
      request.configuration = anchor.configuration;
      request.target = anchor.target;
      if (!book_.may_go_on() || !book_.measure(request, anchor.base)) return;
    }
  }

  void explore() {
    const auto configurations = static_cast<std::int64_t>(plan_.space.configurations.size());
    const std::int64_t with_references = configurations + (configurations + 7) / 8;
    const std::int64_t at_most = book_.spending().explore_trials_left(with_references);
    book_.start_stage("explore", strategy_entry_.measures_all ? std::optional(static_cast<int>(at_most)) : std::nullopt);
    const auto strategy = strategy_entry_.make(problem());
    while (book_.may_go_on()) {
      const std::vector<TrialPlan> block = strategy->ask();
      if (block.empty()) break;
      std::vector<TrialResult> results;
      for (const TrialPlan& planned : block) {
        if (!book_.may_go_on()) break;
        const auto result = book_.measure(request_of(planned), plan_.base);
        if (!result) return;
        results.push_back(*result);
        if (planned.configuration == reference_ && planned.purpose == Purpose::trial)
          if (const auto drift = drift_.tell(*result)) book_.note("drift", *drift);
      }
      last_block_ = std::max(last_block_, block.back().block);
      strategy->tell(results);
    }
    note_what_was_not_explored();
  }

  SearchProblem problem() const {
    SearchProblem problem;
    problem.space = plan_.space.configurations;
    problem.reference = reference_;
    problem.budget = spec_.budget;
    problem.target = target_;
    problem.seed = spec_.seed;
    problem.context = plan_.space.context;
    problem.image_size = spec_.image_size;
    if (const auto cores = fact("cores"); cores && *cores > 0)
      problem.physical_cores = std::min(static_cast<double>(*cores), plan_.space.context.effective_cpus);
    for (const TrialResult& trial : book_.run().trials)
      if (trial.stage == "component") problem.components.push_back(trial);
    return problem;
  }

  std::optional<std::int64_t> fact(const std::string& name) const {
    const auto found = plan_.header.machine.facts.find(name);
    if (found == plan_.header.machine.facts.end() || !found->second.value) return std::nullopt;
    const auto* number = std::get_if<std::int64_t>(&*found->second.value);
    return number != nullptr ? std::optional(*number) : std::nullopt;
  }

  static TrialRequest request_of(const TrialPlan& planned) {
    TrialRequest request;
    request.configuration = planned.configuration;
    request.purpose = planned.purpose;
    request.block = planned.block;
    request.target = planned.target;
    return request;
  }

  void note_what_was_not_explored() {
    std::set<Configuration> measured;
    MemoryDominance memory;
    for (const TrialResult& trial : book_.run().trials) {
      if (trial.stage != "explore") continue;
      measured.insert(trial.configuration);
      memory.tell(trial);
    }
    std::map<std::string, int> skipped;  // by the configuration that ran out
    int left = 0;
    for (const Configuration& configuration : plan_.space.configurations) {
      if (measured.contains(configuration)) continue;
      if (const auto failed = memory.ran_out(configuration)) ++skipped[failed->key()];
      else ++left;
    }
    for (const auto& [key, count] : skipped)
      book_.note("skipped", fmt::format("{} left out, needing at least the memory of {}, which ran out of it", counted(count, "configuration"), key));
    if (left > 0 && !book_.spending().allows("explore"))
      book_.note("budget", fmt::format("the search's share of the budget ended with {} of {} not measured", left,
                                       counted(std::ssize(plan_.space.configurations), "configuration")));
  }

  void confirm() {
    if (!hooks_.next_to_confirm) return;
    book_.start_stage("confirm", std::nullopt);
    const std::int64_t explored = book_.spending().trials();
    const bool limited = spec_.budget.trials || spec_.budget.seconds;
    std::vector<Configuration> block;
    for (int number = 0; number < plan_.most_confirm_blocks && book_.may_go_on(); ++number) {
      const std::vector<Configuration> wanted = hooks_.next_to_confirm(book_.run());
      if (wanted.empty() && (number == 0 || number >= least_confirm_blocks)) return;
      const std::int64_t confirmed = book_.spending().trials() - explored;
      if (!limited && confirmed >= std::max(explored, least_confirm_trials)) {
        book_.note("budget", fmt::format("confirmation ended undecided after {}; without a budget it takes as many as the search or {}, "
                                         "--budget gives it more",
                                         counted(confirmed, "trial"), least_confirm_trials));
        return;
      }
      if (!wanted.empty()) block = completed(wanted);
      if (block.empty() || !measure_block(block, number)) return;
    }
  }

  /// Of a recorded space without what it lacks: a baseline, say, that nobody measured there.
  std::vector<Configuration> completed(const std::vector<Configuration>& wanted) const {
    std::vector<Configuration> block;
    for (const Configuration& configuration : wanted) {
      if (plan_.space.recorded && !find_recorded(configuration, plan_.space)) continue;
      const Configuration whole = complete(configuration, plan_.space, "confirm").configuration;
      if (std::find(block.begin(), block.end(), whole) == block.end()) block.push_back(whole);
    }
    return block;
  }

  /// Each of the block once, in random order; the most wanted ones where the budget doesn't reach for all.
  bool measure_block(std::vector<Configuration> block, int number) {
    block.resize(book_.spending().affordable(block.size()));
    std::mt19937_64 random(mixed(spec_.seed, confirm_stream + static_cast<std::uint64_t>(number)));
    shuffle(block, random);
    for (const Configuration& configuration : block) {
      TrialRequest request;
      request.configuration = configuration;
      request.block = last_block_ + 1 + number;
      request.target = target_;
      if (!book_.may_go_on() || !book_.measure(request, plan_.base)) return false;
    }
    return true;
  }

  const SweepPlan& plan_;
  const Spec& spec_;
  const SweepHooks& hooks_;
  Configuration reference_;
  TrialTarget target_;
  StrategyEntry strategy_entry_;
  TrialBook book_;
  DriftMonitor drift_;
  std::vector<std::string> dropped_of_current_;
  int last_block_ = 0;
};

}  // namespace

Run run_sweep(const SweepPlan& plan, TrialRunner& runner, const SweepHooks& hooks, const Run* recorded) {
  return Sweep(plan, runner, hooks, recorded).run();
}

}  // namespace feedtune
