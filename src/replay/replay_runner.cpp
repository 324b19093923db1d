#include "replay/replay_runner.hpp"

#include <cmath>

namespace feedtune {

TrialResult ReplayRunner::run(const TrialRequest& request, const OnProgress&) {
  TrialResult result = machine_.answer(request, now_s());
  clock_.advance(Nanoseconds{std::llround(result.cost_s * 1e9)});
  return result;
}

}  // namespace feedtune
