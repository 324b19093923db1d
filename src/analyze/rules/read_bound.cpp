#include <fmt/format.h>

#include "analyze/rule.hpp"

namespace feedtune {
namespace {

std::optional<RuleFinding> judge(const RuleInput& in) {
  const WorkerTimes& w = in.workers;
  if (!(w.work() > 0)) return std::nullopt;
  const double share = in.exposure.data * w.read / w.work();
  if (share < least_share) return std::nullopt;
  std::vector<std::string> evidence = {in.waiting_text(), fmt::format("a worker spends {:.3g} of {:.3g} ms an image on reading its file", w.read, w.work())};
  if (const auto bytes = in.trial.host.bytes_read; bytes && in.trial.host.window_s.value_or(0) > 0)
    evidence.push_back(fmt::format("{:.3g} MB/s read from files (page cache included)", static_cast<double>(*bytes) / 1e6 / *in.trial.host.window_s));
  if (const auto share_cached = in.trial.host.cache_resident_share)
    evidence.push_back(fmt::format("{:.0f} % of the data was in the page cache before the trial", 100 * *share_cached));
  return RuleFinding{"reading files holds the step back", std::move(evidence), share, in.gains.of(in.trial.configuration, {{"storage", std::string("packed")}}),
                     "pack the data into a few large files (feedtune pack), put it on a faster disk or in memory (storage memory), or use more workers: waiting for a disk takes no CPU"};
}

}  // namespace

Rule make_read_bound() { return {"read_bound", Rule::Kind::place, Part::loading, judge}; }

}  // namespace feedtune
