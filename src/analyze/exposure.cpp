#include "analyze/exposure.hpp"

#include <algorithm>
#include <cmath>

namespace feedtune {
namespace {

/// From here on the pin thread sets the pace: what is left of the step is handing batches over.
constexpr double pin_limit_share = 0.9;

double not_negative(double value) { return std::isfinite(value) && value > 0 ? value : 0; }

}  // namespace

std::optional<double> phase_mean(const TrialResult& trial, const std::string& phase) {
  const auto found = trial.phases.find(phase);
  if (found == trial.phases.end() || !std::isfinite(found->second.mean) || found->second.mean < 0) return std::nullopt;
  return found->second.mean;
}

Exposure exposure_of(const TrialResult& trial) {
  Exposure e;
  const double step = phase_mean(trial, "step").value_or(0);
  if (!(step > 0)) return e;
  const auto of_step = [&](const char* phase) { return std::min(1.0, phase_mean(trial, phase).value_or(0) / step); };
  e.step_ms = step;
  const bool loads_itself = trial.configuration.integer("num_workers").value_or(1) == 0;
  const double wait = of_step("data_wait"), pin = of_step("pin");
  const double idle = phase_mean(trial, "device_idle") ? of_step("device_idle") : wait;
  const double exposed = std::min(1 - idle, of_step("h2d_exposed"));
  e.data = std::min(idle, wait);
  const double host_copy = std::min(idle - e.data, (loads_itself ? pin : 0) + of_step("h2d_host"));
  e.copy = exposed + host_copy;
  e.other = idle - e.data - host_copy;
  if (!loads_itself && pin >= pin_limit_share) {
    e.pin_is_limit = true;
    e.copy += e.data;
    e.data = 0;
  }
  e.busy = std::max(0.0, 1 - e.waiting());
  return e;
}

WorkerTimes worker_times(const TrialResult& trial) {
  const auto of = [&](const char* phase) {
    const auto found = trial.worker_ms_per_image.find(phase);
    return found == trial.worker_ms_per_image.end() ? 0 : not_negative(found->second);
  };
  return {of("open"), of("read"), of("decode"), of("decode_cpu"), of("transform"), of("collate"), of("blocked"), of("starved")};
}

std::optional<double> cpus_used(const TrialResult& trial) {
  const HostUse& host = trial.host;
  if (!host.cpu_user_s || !host.cpu_system_s || !host.window_s || !(*host.window_s > 0)) return std::nullopt;
  const double used = (*host.cpu_user_s + *host.cpu_system_s) / *host.window_s;
  return std::isfinite(used) && used >= 0 ? std::optional(used) : std::nullopt;
}

}  // namespace feedtune
