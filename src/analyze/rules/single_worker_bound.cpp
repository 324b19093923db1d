#include <fmt/format.h>

#include <algorithm>

#include "analyze/rule.hpp"

namespace feedtune {
namespace {

/// Of the CPUs: with more in use another worker has nothing to run on.
constexpr double most_used = 0.75;

std::optional<RuleFinding> judge(const RuleInput& in) {
  const auto cpus = static_cast<std::int64_t>(in.cpus());
  const auto used = cpus_used(in.trial);
  if (in.num_workers() < 0 || in.num_workers() > 1 || cpus < 2 || !used || *used > most_used * in.cpus()) return std::nullopt;
  // Loading a batch takes all of data_wait without workers; with as many workers as CPUs a part of it, beside the step.
  const double step = in.exposure.step_ms;
  const double load = in.num_workers() == 0 ? phase_mean(in.trial, "data_wait").value_or(0) : in.workers.work() * static_cast<double>(in.batch_size());
  const double rest = (1 - in.exposure.data) * step;
  const double share = std::min(in.exposure.data, step > 0 ? 1 - std::max(rest, load / static_cast<double>(cpus)) / step : 0);
  if (share < least_share) return std::nullopt;
  return RuleFinding{in.num_workers() == 0 ? "batches are loaded inside the training thread, one image after the other" : "a single worker loads all batches",
                     {in.waiting_text(), fmt::format("num_workers {}: {:.2g} of {:.3g} CPUs in use", in.num_workers(), *used, in.cpus()),
                      fmt::format("a batch takes {:.3g} ms to load, the rest of the step {:.3g}", load, rest)},
                     share, in.gains.of(in.trial.configuration, {{"num_workers", cpus}}), fmt::format("set num_workers to {} (a worker a CPU), then sweep around it", cpus)};
}

}  // namespace

Rule make_single_worker_bound() { return {"single_worker_bound", Rule::Kind::cause, Part::loading, judge}; }

}  // namespace feedtune
