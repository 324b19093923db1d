#pragma once
// A machine that isn't there, on a manual clock, and a small plan to sweep on it. A trial's noise depends on its id
// alone, so a resumed sweep meets the same noise as an uninterrupted one.

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "measure/clock.hpp"
#include "sweep/sweep.hpp"

namespace feedtune {

/// Images/s without noise: workers saturate at 4, the step at a batch; pinned memory gives 10 %.
inline double true_rate(const Configuration& configuration) {
  const double workers = static_cast<double>(configuration.integer("num_workers").value_or(0));
  const double batch = static_cast<double>(configuration.integer("batch_size").value_or(64));
  const double load = workers == 0 ? 60 : 100 * std::min(workers, 4.0);
  const double step = batch / (0.01 + batch / 900);
  return std::min(load, step) * (configuration.text("host_memory") == "pinned" ? 1.1 : 1.0);
}

class FakeRunner final : public TrialRunner {
 public:
  double noise = 0.01;
  std::uint64_t seed = 1;
  double overhead_s = 0.5;
  std::function<double(const Configuration&)> rate = true_rate;
  std::function<void(const TrialRequest&, TrialResult&)> change;  ///< last word on a result
  std::vector<TrialRequest> requests;
  std::function<bool()> interrupt;  ///< asked at the start of a trial

  TrialResult run(const TrialRequest& request, const OnProgress& on_progress) override {
    requests.push_back(request);
    on_progress({"measuring", 1, 0.1});
    TrialResult result;
    if (interrupt && interrupt()) {
      clock_.advance(std::chrono::milliseconds(200));
      result.status = TrialStatus::crashed;
      result.stop_reason = "interrupted";
      return result;
    }
    std::mt19937_64 random(seed * 1'000'003 + static_cast<std::uint64_t>(request.id));
    const double mean = rate(request.configuration) * std::exp(noise * std::normal_distribution<double>()(random));
    result.images_per_s = Interval{mean, mean * (1 - noise), mean * (1 + noise), 20};
    result.stop_reason = "time";
    result.measured_s = request.target.max_time_s;
    clock_.advance(std::chrono::microseconds(std::llround(1e6 * (overhead_s + request.target.max_time_s))));
    if (change) change(request, result);
    if (result.status != TrialStatus::ok) result.images_per_s.reset();
    return result;
  }
  double now_s() const override { return to_s(clock_.now()); }

 private:
  ManualClock clock_;
};

class MemorySink final : public SweepSink {
 public:
  std::vector<TrialResult> trials;
  std::vector<RunNote> notes;
  void append(const TrialResult& trial) override { trials.push_back(trial); }
  void append(const RunNote& note) override { notes.push_back(note); }
};

inline SpaceContext fake_context() {
  SpaceContext context;
  context.effective_cpus = 4;
  context.device.name = "virtual:fake";
  context.device.copies = true;
  context.device.precisions = {"fp32", "fp16"};
  context.data_images = 10'000;
  return context;
}

/// 4 batch sizes x 4 worker counts x 2 kinds of memory: 32 configurations.
inline SweepPlan fake_plan(const std::string& strategy = "grid", Budget budget = {}) {
  SweepPlan plan;
  Spec& spec = plan.header.spec;
  spec.device = "virtual:fake";
  spec.strategy = strategy;
  spec.budget = budget;
  spec.seed = 7;
  for (const std::int64_t batch : {16, 32, 64, 128}) spec.axes["batch_size"].emplace_back(batch);
  for (const std::int64_t workers : {0, 1, 4, 8}) spec.axes["num_workers"].emplace_back(workers);
  spec.axes["host_memory"] = {"pageable", "pinned"};
  spec.axes["loader"] = {"batch_per_worker"};
  plan.space = build_space(spec.axes, fake_context());
  for (const std::int64_t workers : {0, 2, 4}) {
    AnchorTrial anchor;
    anchor.configuration.set("batch_size", std::int64_t{32});
    anchor.configuration.set("num_workers", workers);
    anchor.base.data.path = "anchors";
    plan.anchors.push_back(anchor);
  }
  return plan;
}

/// The four fastest by the mean of all their trials, for `blocks` blocks.
inline std::function<std::vector<Configuration>(const Run&)> confirm_fastest(int blocks) {
  return [blocks](const Run& run) {
    std::map<Configuration, std::pair<double, int>> sums;
    std::set<int> confirmed;
    for (const TrialResult& trial : run.trials) {
      if (trial.stage == "confirm") confirmed.insert(trial.block);
      if ((trial.stage != "explore" && trial.stage != "confirm") || !trial.images_per_s) continue;
      auto& [sum, count] = sums[trial.configuration];
      sum += trial.images_per_s->mean;
      ++count;
    }
    std::vector<std::pair<double, Configuration>> ranked;
    for (const auto& [configuration, sum] : sums) ranked.emplace_back(-sum.first / sum.second, configuration);
    std::sort(ranked.begin(), ranked.end());
    std::vector<Configuration> front;
    if (static_cast<int>(confirmed.size()) >= blocks) return front;
    for (std::size_t i = 0; i < ranked.size() && i < 4; ++i) front.push_back(ranked[i].second);
    return front;
  };
}

inline int count_stage(const std::vector<TrialResult>& trials, const std::string& stage) {
  return static_cast<int>(std::count_if(trials.begin(), trials.end(), [&](const auto& t) { return t.stage == stage; }));
}

/// What identifies a trial of a plan.
inline std::vector<std::string> identities(const std::vector<TrialResult>& trials) {
  std::vector<std::string> all;
  for (const TrialResult& t : trials)
    all.push_back(std::to_string(t.id) + ' ' + t.stage + ' ' + std::string(to_text(t.purpose)) + ' ' +
                  std::to_string(t.block) + ' ' + t.configuration.key());
  return all;
}

}  // namespace feedtune
