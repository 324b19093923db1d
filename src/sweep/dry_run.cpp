#include "sweep/dry_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "space/planned_memory.hpp"
#include "sweep/trial_length.hpp"

namespace feedtune {
namespace {

/// images/s between 100 and 200 without any rule: a strategy that stops when little is left to gain goes on to its cap, so
/// that the plan is the longest there can be. FNV-1a (Fowler, Noll, Vo) of the configuration.
double made_up_rate(const Configuration& configuration) {
  std::uint32_t hash = 2166136261u;
  for (const char character : configuration.key()) hash = (hash ^ static_cast<unsigned char>(character)) * 16777619u;
  return 100 + static_cast<double>(hash % 1000) / 10;
}

class PlanningRunner final : public TrialRunner {
 public:
  explicit PlanningRunner(const SpaceContext& context) : context_(context) {}

  TrialResult run(const TrialRequest& request, const OnProgress&) override {
    PlannedTrial planned;
    planned.stage = request.stage;
    planned.purpose = request.purpose;
    planned.block = request.block;
    planned.configuration = request.configuration;
    planned.estimated_s = estimated_s(request, context_);
    planned.host_bytes = planned_host_bytes(request.setup);
    const bool steps = request.purpose == Purpose::trial || request.purpose == Purpose::step_only;
    const bool own_model = request.stage == "anchor";
    if (steps && !own_model && context_.planned_device_bytes) planned.device_bytes = context_.planned_device_bytes(request.configuration);
    if (planned.device_bytes && context_.device.memory_bytes)
      planned.fits = *planned.device_bytes <= static_cast<std::uint64_t>(*context_.device.memory_bytes);
    now_s_ += planned.estimated_s;
    trials_.push_back(planned);
    TrialResult result;
    const double rate = made_up_rate(request.configuration);
    result.images_per_s = Interval{rate, rate, rate, 10};
    return result;
  }
  double now_s() const override { return now_s_; }
  std::vector<PlannedTrial> take() { return std::move(trials_); }

 private:
  const SpaceContext& context_;
  std::vector<PlannedTrial> trials_;
  double now_s_ = 0;
};

}  // namespace

DryRun dry_run(const SweepPlan& plan) {
  PlanningRunner runner(plan.space.context);
  const Run run = run_sweep(plan, runner, {});
  DryRun dry;
  dry.trials = runner.take();
  dry.notes = run.notes;
  std::int64_t explored = 0;
  double explore_s = 0, charged_s = 0;
  for (const PlannedTrial& trial : dry.trials) {
    dry.estimated_s += trial.estimated_s;
    if (trial.stage != "anchor") charged_s += trial.estimated_s;
    if (trial.stage != "explore") continue;
    ++explored;
    explore_s += trial.estimated_s;
  }
  const double each_s = explored > 0 ? explore_s / static_cast<double>(explored) : 0;
  const Budget& budget = plan.header.spec.budget;
  dry.confirm_trials = budget.trials || budget.seconds ? 1'000'000 : 40;
  if (budget.trials) dry.confirm_trials = std::max<std::int64_t>(0, *budget.trials - explored);
  if (budget.seconds && each_s > 0)
    dry.confirm_trials = std::clamp<std::int64_t>(std::llround((*budget.seconds - charged_s) / each_s), 0, dry.confirm_trials);
  dry.confirm_s = static_cast<double>(dry.confirm_trials) * each_s;
  return dry;
}

}  // namespace feedtune
