#pragma once
// Runs made by hand, and a machine with known truth and known noise that a sweep's confirmation can be played on.

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analyze/recommend.hpp"
#include "core/run.hpp"

namespace feedtune::testing {

struct Settings {
  std::int64_t batch = 64;
  std::int64_t workers = 4;
  std::string loader = "batch_per_worker";
  std::string memory = "pinned";
  std::int64_t prefetch = 2;
};

/// A whole configuration, as the search space makes them: what means nothing is absent.
inline Configuration make(const Settings& s) {
  const bool pooled = s.loader == "pooled";
  Configuration c;
  c.set("batch_size", s.batch);
  c.set("num_workers", s.workers);
  c.set("loader", s.loader);
  c.set("host_memory", s.memory);
  c.set("decoder", std::string(pooled ? "turbo" : "turbo_full"));
  c.set("input_type", std::string(pooled ? "uint8" : "float32"));
  c.set("transfer", std::string(s.memory == "pinned" ? "overlapped" : "blocking"));
  c.set("sync", std::string("none"));
  c.set("precision", std::string("fp16"));
  if (s.workers > 0 && !pooled) c.set("prefetch", s.prefetch);
  if (s.workers > 0 && pooled) c.set("ready_batches", std::int64_t{4});
  return c;
}

inline const Settings pooled_2{.workers = 2, .loader = "pooled"};
inline const Settings pooled_8{.workers = 8, .loader = "pooled"};

/// n blocks around a rate: the configuration's own small wobble, +-0.2 %.
inline std::vector<double> blocks(double rate, int n, int phase = 0) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(rate * (1 + 0.002 * (((i + phase) % 3) - 1)));
  return values;
}

inline Configuration baseline_at(std::int64_t batch) {
  return make({.batch = batch, .workers = 0, .memory = "pageable"});
}

class RunBuilder {
 public:
  RunBuilder() {
    run.device = {"virtual:rtx-4090", "NVIDIA GeForce RTX 4090", true, true, false, std::int64_t{24'000'000'000}, {}};
    run.model.name = "mixer-s16";
    run.machine.cpus.effective = 8;
    run.data.images = 10'000;
    run.spec.device = run.device.name;
    run.complete = true;
  }

  TrialResult& add(const Configuration& c, double images_per_s, const std::string& stage, int block = 0,
                   Purpose purpose = Purpose::trial) {
    TrialResult t;
    t.id = static_cast<std::int64_t>(run.trials.size()) + 1;
    t.configuration = c;
    t.stage = stage;
    t.block = block;
    t.purpose = purpose;
    t.stop_reason = "time";
    t.images_per_s =
        Interval{images_per_s, images_per_s * (1 - 1.96 * within_sd), images_per_s * (1 + 1.96 * within_sd), 20};
    t.modelled = run.device.modelled;
    run.trials.push_back(t);
    return run.trials.back();
  }
  TrialResult& explore(const Configuration& c, double images_per_s) { return add(c, images_per_s, "explore"); }
  TrialResult& confirm(const Configuration& c, int block, double images_per_s) {
    return add(c, images_per_s, "confirm", block);
  }
  /// One value a block, from block 1.
  void confirm(const Configuration& c, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) confirm(c, static_cast<int>(i) + 1, values[i]);
  }
  TrialResult& component(Purpose purpose, const Configuration& c, double images_per_s) {
    return add(c, images_per_s, "component", 0, purpose);
  }
  TrialResult& fail(const Configuration& c, TrialStatus status, const std::string& reason,
                    const std::string& stage = "explore") {
    TrialResult& t = add(c, 1, stage);
    t.status = status;
    t.reason = reason;
    t.images_per_s.reset();
    return t;
  }

  Run run;
  double within_sd = 0.005;  ///< relative standard error inside one trial
};

/// A machine whose true images/s are known.
struct FakeMachine {
  std::vector<std::pair<Configuration, double>> truth;
  double cv = 0.015;   ///< of one trial
  double drift = 0.0;  ///< sd of a block's common shift
  std::mt19937_64 random;

  double true_rate(const Configuration& c) const {
    for (const auto& [configuration, rate] : truth)
      if (configuration == c) return rate;
    return 0;
  }
  double best_rate() const {
    double best = 0;
    for (const auto& [configuration, rate] : truth) best = std::max(best, rate);
    return best;
  }
  double measure(const Configuration& c, double shift) {
    std::normal_distribution<double> noise(0, cv);
    return true_rate(c) * std::exp(shift + noise(random));
  }
};

/// Searches once through everything, the first configuration 4 times, then confirms until decided or `most_trials`.
inline RunBuilder play(FakeMachine& machine, int most_trials, const RecommendOptions& options = {},
                       const std::function<void(Run&)>& prepare = {}) {
  RunBuilder builder;
  if (prepare) prepare(builder.run);
  builder.within_sd = machine.cv / 3;
  std::normal_distribution<double> shift(0, machine.drift);
  for (const auto& [configuration, rate] : machine.truth)
    builder.explore(configuration, machine.measure(configuration, 0));
  for (int i = 0; i < 4; ++i)
    builder.explore(machine.truth.front().first, machine.measure(machine.truth.front().first, 0));
  int trials = 0;
  for (int block = 1; trials < most_trials; ++block) {
    const std::vector<Configuration> next = next_to_confirm(builder.run, options);
    if (next.empty()) break;
    const double common = machine.drift > 0 ? shift(machine.random) : 0;
    for (const Configuration& c : next) {
      ++trials;
      if (machine.true_rate(c) > 0)
        builder.confirm(c, block, machine.measure(c, common));
      else
        builder.fail(c, TrialStatus::unsupported, "not on this machine", "confirm");
    }
  }
  return builder;
}

}  // namespace feedtune::testing
