#include <fmt/format.h>

#include <algorithm>

#include "analyze/rule.hpp"

namespace feedtune {
namespace {

/// Twice as many threads as CPUs are usual (some of them wait for files or for room) and do no harm.
constexpr double usual_threads_per_cpu = 2;
/// Less than this of two trials' images/s is their noise.
constexpr double least_loss = 0.05;

std::int64_t threads_of(const RuleInput& in, const Configuration& c) {
  const std::int64_t workers = std::clamp<std::int64_t>(c.integer("num_workers").value_or(0), 1, 1 << 20);
  const std::int64_t each = std::clamp<std::int64_t>(c.integer("worker_threads").value_or(1), 1, 1 << 20);
  return workers * each + (in.run.device.copies ? 0 : std::clamp<std::int64_t>(c.integer("model_threads").value_or(0), 0, 1 << 20));
}

/// The fastest trial that does the same work with no more threads than usual.
const TrialResult* fastest_without(const RuleInput& in) {
  const TrialResult* best = nullptr;
  for (const TrialResult& t : in.run.trials) {
    if (!is_of_the_search(t) || t.status != TrialStatus::ok || !t.images_per_s) continue;
    const bool same = std::all_of(t.configuration.values().begin(), t.configuration.values().end(), [&](const auto& axis) {
      if (axis.first == "num_workers" || axis.first == "worker_threads" || axis.first == "prefetch" || axis.first == "model_threads") return true;
      const auto mine = in.trial.configuration.values().find(axis.first);
      return mine == in.trial.configuration.values().end() || mine->second == axis.second;
    });
    if (!same || static_cast<double>(threads_of(in, t.configuration)) > usual_threads_per_cpu * in.cpus()) continue;
    if (best == nullptr || t.images_per_s->mean > best->images_per_s->mean) best = &t;
  }
  return best;
}

std::optional<RuleFinding> judge(const RuleInput& in) {
  const std::int64_t threads = threads_of(in, in.trial.configuration);
  if (static_cast<double>(threads) <= usual_threads_per_cpu * in.cpus()) return std::nullopt;
  const HostUse& host = in.trial.host;
  const std::int64_t workers = std::max<std::int64_t>(1, in.num_workers()), each = std::clamp<std::int64_t>(in.trial.configuration.integer("worker_threads").value_or(1), 1, 1 << 20);
  std::vector<std::string> evidence = {fmt::format("{} threads for {:.3g} CPUs: {} workers x {} threads", threads, in.cpus(), workers, each)};
  double share = 0;
  if (const TrialResult* other = fastest_without(in)) {
    share = 1 - in.trial.images_per_s->mean / other->images_per_s->mean;
    evidence.push_back(fmt::format("{:.4g} images/s; the same work with {} threads gave {:.4g} (trial {})", in.trial.images_per_s->mean, threads_of(in, other->configuration),
                                   other->images_per_s->mean, other->id));
    if (share < least_loss) return std::nullopt;
    if (host.cpu_s_per_image && other->host.cpu_s_per_image && *host.cpu_s_per_image > 0 && *other->host.cpu_s_per_image > 0)
      evidence.push_back(fmt::format("{:.4g} images per CPU-second; there {:.4g}", 1 / *host.cpu_s_per_image, 1 / *other->host.cpu_s_per_image));
  } else if (const auto used = cpus_used(in.trial); used && host.run_delay_s && host.window_s && *used > 0) {
    // Without anything to compare with: of the time in which threads could have run, the part in which they only waited for a
    // CPU. An upper bound, since some of that waiting costs nothing.
    const double delay = *host.run_delay_s / *host.window_s;
    share = std::min(in.exposure.data, delay / (delay + *used));
    if (share < least_share) return std::nullopt;
  } else {
    return std::nullopt;
  }
  if (const auto used = cpus_used(in.trial)) {
    std::string text = fmt::format("{:.0f} % CPU in use", 100 * *used);
    if (host.run_delay_s && host.window_s) text += fmt::format("; {:.3g} threads wait for a CPU at any time", *host.run_delay_s / *host.window_s);
    if (host.involuntary_switches && host.voluntary_switches && in.trial.images.decoded > 0)
      text += fmt::format("; {:.3g} context switches an image, {:.3g} of them forced", static_cast<double>(*host.involuntary_switches + *host.voluntary_switches) / static_cast<double>(in.trial.images.decoded),
                          static_cast<double>(*host.involuntary_switches) / static_cast<double>(in.trial.images.decoded));
    evidence.push_back(text);
  }
  const auto cpus = std::max<std::int64_t>(1, static_cast<std::int64_t>(in.cpus()));
  ExpectedGain gain = each > 1 ? in.gains.of(in.trial.configuration, {{"worker_threads", std::int64_t{1}}}) : in.gains.of(in.trial.configuration, {{"num_workers", cpus}});
  return RuleFinding{"more threads than the CPUs can run get in each other's way", std::move(evidence), share, std::move(gain),
                     each > 1 ? "set worker_threads 1 (torch.set_num_threads(1), cv2.setNumThreads(1) in each worker)" : fmt::format("lower num_workers to {}", cpus)};
}

}  // namespace

Rule make_oversubscribed() { return {"oversubscribed", Rule::Kind::cause, Part::loading, judge}; }

}  // namespace feedtune
