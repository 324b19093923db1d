#include <fmt/format.h>

#include "analyze/rule.hpp"

namespace feedtune {
namespace {

std::optional<RuleFinding> judge(const RuleInput& in) {
  const WorkerTimes& w = in.workers;
  if (!(w.work() > 0)) return std::nullopt;
  const double share = in.exposure.data * w.open / w.work();
  if (share < least_share) return std::nullopt;
  std::vector<std::string> evidence = {in.waiting_text(), fmt::format("a worker spends {:.3g} of {:.3g} ms an image on opening its file", w.open, w.work())};
  if (const auto found = in.run.machine.facts.find("data_filesystem"); found != in.run.machine.facts.end() && found->second.value)
    evidence.push_back(fmt::format("the data lies on {}", to_text(*found->second.value)));
  return RuleFinding{"opening files holds the step back", std::move(evidence), share, in.gains.of(in.trial.configuration, {{"storage", std::string("packed")}}),
                     "pack the data into a few large files (feedtune pack): one open for thousands of images; or use more workers: waiting for a server takes no CPU"};
}

}  // namespace

Rule make_open_bound() { return {"open_bound", Rule::Kind::place, Part::loading, judge}; }

}  // namespace feedtune
