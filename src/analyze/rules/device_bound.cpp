#include <fmt/format.h>

#include <algorithm>

#include "analyze/rule.hpp"

namespace feedtune {
namespace {

/// A device that waits for less than this has its limit in itself.
constexpr double most_waiting = 0.1;

std::optional<RuleFinding> judge(const RuleInput& in) {
  const Exposure& e = in.exposure;
  if (!(e.step_ms > 0) || e.waiting() > most_waiting || e.busy <= 0) return std::nullopt;
  std::vector<std::string> evidence = {fmt::format("the device computes in {:.0f} % of each step ({:.3g} of {:.3g} ms)", 100 * e.busy, e.busy * e.step_ms, e.step_ms)};
  if (const auto forward = phase_mean(in.trial, "forward"))
    evidence.push_back(fmt::format("forward {:.3g} ms, loss and backward {:.3g}, update {:.3g}", *forward, phase_mean(in.trial, "backward").value_or(0),
                                   phase_mean(in.trial, "update").value_or(0)));
  if (in.workers.blocked_share() > 0) evidence.push_back(fmt::format("workers wait for room in a full queue in {:.0f} % of their time", 100 * in.workers.blocked_share()));
  return RuleFinding{"the training step itself is the limit: the device hardly waits", std::move(evidence), e.busy, no_gain("no setting of the loader makes the step faster"),
                     "leave the loader as it is; a lower precision, a larger batch, a smaller model or a faster device helps"};
}

}  // namespace

Rule make_device_bound() { return {"device_bound", Rule::Kind::place, Part::device, judge}; }

}  // namespace feedtune
