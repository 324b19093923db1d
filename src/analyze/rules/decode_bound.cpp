#include <fmt/format.h>

#include "analyze/rule.hpp"

namespace feedtune {
namespace {

/// A cheaper decoder where there is one, else more workers while CPUs are left for them.
ExpectedGain gain(const RuleInput& in) {
  const auto cpus = static_cast<std::int64_t>(in.cpus());
  if (in.num_workers() >= 0 && in.num_workers() < cpus) return in.gains.of(in.trial.configuration, {{"num_workers", cpus}});
  const auto decoder = in.trial.configuration.text("decoder");
  if (decoder == "turbo_full" || decoder == "opencv") return in.gains.of(in.trial.configuration, {{"decoder", std::string("turbo")}});
  if (decoder == "turbo") return in.gains.of(in.trial.configuration, {{"decoder", std::string("turbo_scaled")}});
  return no_gain("no axis of this run decodes for less");
}

std::optional<RuleFinding> judge(const RuleInput& in) {
  const WorkerTimes& w = in.workers;
  if (!(w.work() > 0)) return std::nullopt;
  const double share = in.exposure.data * w.pixels() / w.work();
  if (share < least_share) return std::nullopt;
  std::vector<std::string> evidence = {
      in.waiting_text(),
      fmt::format("a worker spends {:.3g} of {:.3g} ms an image on pixels: decode {:.3g} ms ({:.3g} of CPU time), transform {:.3g}, collate {:.3g}", w.pixels(),
                  w.work(), w.decode, w.decode_cpu, w.transform, w.collate)};
  if (const auto used = cpus_used(in.trial)) evidence.push_back(fmt::format("{:.2g} of {:.3g} CPUs in use", *used, in.cpus()));
  return RuleFinding{"decoding and transforming images holds the step back", std::move(evidence), share, gain(in),
                     "use a cheaper decoder (decoder turbo, turbo_scaled), store smaller images (feedtune pack --kind resized), or give it more CPUs"};
}

}  // namespace

Rule make_decode_bound() { return {"decode_bound", Rule::Kind::place, Part::loading, judge}; }

}  // namespace feedtune
