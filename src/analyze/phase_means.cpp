#include "analyze/phase_means.hpp"

#include <cmath>

#include "analyze/measurements.hpp"

namespace feedtune {
namespace {

constexpr double noticeable_share = 0.05;

std::optional<double> share(const std::map<std::string, double>& phases, const std::string& name) {
  const auto part = phases.find(name), step = phases.find("step");
  if (part == phases.end() || step == phases.end() || !(step->second > 0)) return std::nullopt;
  return part->second / step->second;
}

}  // namespace

std::map<std::string, double> phase_means(const Run& run, const Configuration& configuration) {
  bool confirmed = false;
  const auto counts = [&](const TrialResult& t) {
    return is_of_the_search(t) && t.status == TrialStatus::ok && t.configuration == configuration;
  };
  for (const TrialResult& t : run.trials) confirmed = confirmed || (counts(t) && t.stage == "confirm");
  std::map<std::string, std::pair<double, int>> sums;
  for (const TrialResult& t : run.trials) {
    if (!counts(t) || (t.stage == "confirm") != confirmed) continue;
    for (const auto& [name, summary] : t.phases)
      if (std::isfinite(summary.mean)) {
        sums[name].first += summary.mean;
        sums[name].second += 1;
      }
  }
  std::map<std::string, double> means;
  for (const auto& [name, sum] : sums) means[name] = sum.first / sum.second;
  return means;
}

Bound bound_of(const Run& run, const Configuration& configuration, const Ceilings& ceilings) {
  const auto phases = phase_means(run, configuration);
  Bound bound;
  bound.waiting_share = share(phases, "device_idle");
  if (!bound.waiting_share) bound.waiting_share = share(phases, "data_wait");
  bound.exposed_copy_share = share(phases, "h2d_exposed");
  if (!bound.waiting_share && !bound.exposed_copy_share) return bound;
  const double waiting = bound.waiting_share.value_or(0), copying = bound.exposed_copy_share.value_or(0);
  if (!run.device.copies && ceilings.binds == "joint_cpu")
    bound.by = "joint_cpu";
  else if (std::max(waiting, copying) <= noticeable_share)
    bound.by = "device";
  else
    bound.by = waiting >= copying ? "loader" : "h2d";
  return bound;
}

}  // namespace feedtune
