#include "replay/replay_runner.hpp"

#include <cmath>

namespace feedtune {
namespace {

Nanoseconds whole(double cost_s) { return Nanoseconds{std::llround(cost_s * 1e9)}; }

}  // namespace

TrialResult ReplayRunner::run(const TrialRequest& request, const OnProgress&) {
  TrialResult result = machine_.answer(request, now_s());
  clock_.advance(whole(result.cost_s));
  return result;
}

Nanoseconds simulated_time_after(std::span<const TrialResult> trials) {
  Nanoseconds sum{};
  for (const TrialResult& trial : trials) sum += whole(trial.cost_s);
  return sum;
}

}  // namespace feedtune
