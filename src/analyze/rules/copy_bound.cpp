#include <fmt/format.h>

#include <algorithm>

#include "analyze/rule.hpp"

namespace feedtune {
namespace {

std::optional<RuleFinding> judge(const RuleInput& in) {
  const Exposure& e = in.exposure;
  if (e.copy < least_share) return std::nullopt;
  std::vector<std::string> evidence = {fmt::format("copying takes {:.0f} % of each step ({:.3g} of {:.3g} ms) with no computing beside it", 100 * e.copy, e.copy * e.step_ms, e.step_ms)};
  if (const auto h2d = phase_mean(in.trial, "h2d"))
    evidence.push_back(fmt::format("the device copies for {:.3g} ms a step, {:.3g} ms of it exposed; the host is in the call for {:.3g} ms", *h2d,
                                   phase_mean(in.trial, "h2d_exposed").value_or(0), phase_mean(in.trial, "h2d_host").value_or(0)));
  if (const auto pin = phase_mean(in.trial, "pin"); pin && *pin > 0)
    evidence.push_back(fmt::format("pinning a batch takes {:.3g} ms{}", *pin, e.pin_is_limit ? ": one thread does it, and it is never idle" : ""));
  const auto type = in.trial.configuration.text("input_type");
  ExpectedGain gain = no_gain("bytes are as few as an axis of this run makes them");
  if (type && type != "uint8") gain = in.gains.of(in.trial.configuration, {{"input_type", std::string("uint8")}});
  return RuleFinding{e.pin_is_limit ? "the thread that copies batches into pinned memory holds the step back" : "the copy to the device holds the step back",
                     std::move(evidence), e.copy, std::move(gain),
                     "ship fewer bytes (input_type uint8, normalise on the device), and overlap copies (host_memory pinned, transfer overlapped); with loader pooled batches are written into pinned memory at once"};
}

}  // namespace

Rule make_copy_bound() { return {"copy_bound", Rule::Kind::place, Part::copying, judge}; }

}  // namespace feedtune
