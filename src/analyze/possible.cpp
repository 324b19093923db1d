#include "analyze/possible.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace feedtune {
namespace {

constexpr double most = 1e12;

bool possible(double value) { return std::isfinite(value) && value >= 0 && value <= most; }

void check(double& value) {
  if (!possible(value)) value = 0;
}
template <class T>
void check(std::optional<T>& value) {
  if (value && !possible(static_cast<double>(*value))) value.reset();
}

void check(HostUse& h) {
  for (auto* value : {&h.window_s, &h.cpu_user_s, &h.cpu_system_s, &h.cpu_s_per_image, &h.run_delay_s, &h.runnable_threads, &h.cache_resident_share, &h.throttled_s, &h.cpu_mhz})
    check(*value);
  for (auto* value : {&h.voluntary_switches, &h.involuntary_switches, &h.major_faults, &h.bytes_read}) check(*value);
  // Rates are over the window: without one there are none.
  if (h.window_s && *h.window_s < 1e-6) h.window_s.reset();
}

void check(TrialResult& t) {
  std::erase_if(t.phases, [](const auto& phase) { return !possible(phase.second.mean); });
  for (auto& [name, s] : t.phases)
    for (double* value : {&s.p50, &s.p95, &s.p99, &s.max}) check(*value);
  std::erase_if(t.worker_ms_per_image, [](const auto& phase) { return !possible(phase.second); });
  check(t.host);
  check(t.device_busy);
  check(t.first_batch_ms);
  check(t.startup_s);
  check(t.epoch_turn_ms);
  check(t.measured_s);
  check(t.cost_s);
  for (FileNote& note : t.files) check(note.ms);
  if (t.gpu) {
    GpuUse& g = *t.gpu;
    for (auto* value : {&g.utilization, &g.sm_mhz, &g.memory_mhz, &g.temperature_c, &g.power_w}) check(*value);
    std::erase_if(g.throttled, [](const auto& reason) { return !possible(reason.second); });
  }
}

}  // namespace

Run with_possible_figures(const Run& run) {
  Run checked = run;
  double& cpus = checked.machine.cpus.effective;
  cpus = std::isfinite(cpus) ? std::clamp(cpus, 0.01, 1e6) : 1;
  for (TrialResult& t : checked.trials) check(t);
  return checked;
}

}  // namespace feedtune
