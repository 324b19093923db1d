#pragma once
// Runs with one trial to be explained, made by formula: phases of the step, workers' times, what the host counted.

#include <map>
#include <optional>
#include <string>

#include "analyze/explain.hpp"
#include "analyze/rule.hpp"
#include "run_builder.hpp"

namespace feedtune::testing {

/// A trial of 100 ms steps whose device never waits, on 8 CPUs with 4 workers; a test changes what it is about.
class ExplainRun {
 public:
  explicit ExplainRun(const Settings& settings = {}) {
    run().device.facts.clear();
    builder.explore(make(settings), 640);
    fill(trial());
  }

  Run& run() { return builder.run; }
  TrialResult& trial(std::size_t i = 0) { return run().trials[i]; }

  static void fill(TrialResult& t) {
    phases(t, {{"step", 100}, {"data_wait", 1}, {"device_idle", 1}, {"h2d", 4}, {"h2d_exposed", 0}, {"h2d_host", 0.1}, {"forward", 33}, {"backward", 60}, {"update", 6}});
    t.worker_ms_per_image = {{"open", 0.01}, {"read", 0.02}, {"decode", 1.6}, {"decode_cpu", 1.5}, {"transform", 0.3}, {"collate", 0.07}, {"blocked", 3}, {"starved", 0}};
    t.host.window_s = 3;
    t.host.cpu_user_s = 9;
    t.host.cpu_system_s = 0.6;
    t.host.cpu_s_per_image = 0.002;
    t.host.run_delay_s = 0.1;
    t.host.voluntary_switches = 500;
    t.host.involuntary_switches = 50;
    t.host.throttled_s = 0;
    t.host.cache_resident_share = 1;
    t.host.bytes_read = 200'000'000;
    t.images.decoded = 1920;
    t.measured_s = 3;
    t.cost_s = 3.5;
    t.measured_steps = 30;
    t.startup_s = 0.2;
    t.first_batch_ms = 300;
  }
  static void phases(TrialResult& t, const std::map<std::string, double>& means) {
    for (const auto& [name, mean] : means) {
      PhaseSummary& s = t.phases[name];
      s.mean = s.p50 = s.p95 = s.p99 = s.max = mean;
      s.count = 30;
    }
  }
  /// The device waits for data in that share of the 100 ms step, and workers are never blocked.
  ExplainRun& waits(double share) {
    phases(trial(), {{"data_wait", 100 * share}, {"device_idle", 100 * share}});
    trial().worker_ms_per_image["blocked"] = 0;
    return *this;
  }
  ExplainRun& worker(const std::string& phase, double ms) {
    trial().worker_ms_per_image[phase] = ms;
    return *this;
  }

  TrialExplanation explained() { return explain(run(), trial().id, "run").trials.front(); }
  std::optional<Finding> finding(const std::string& rule) {
    const Explanation all = explain(run(), trial().id, "run");
    for (const auto* findings : {&all.trials.front().findings, &all.run})
      for (const Finding& f : *findings)
        if (f.rule == rule) return f;
    return std::nullopt;
  }
  std::string primary() {
    const TrialExplanation e = explained();
    return e.has_primary ? e.findings.front().rule : "";
  }

  RunBuilder builder;
};

}  // namespace feedtune::testing
