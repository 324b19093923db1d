#include "replay/synthetic_machine.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "measure/student_t.hpp"
#include "replay/seeded_draw.hpp"
#include "replay/synthetic_axes.hpp"

namespace feedtune {
namespace {

constexpr double base_start_up_s = 0.2, failed_s = 0.5, component_start_up_s = 0.1;
constexpr double memory_share_allowed = 0.88;

/// A configuration that leaves under 10 % of device memory free is none to recommend, and the fastest of the machine should
/// be: the device has a little more memory than any that fits takes.
void leave_room(SyntheticParameters& p, const SyntheticSurface& surface, const std::vector<AxisValue>& batch_sizes) {
  std::set<double> needed;
  for (const AxisValue& batch : batch_sizes)
    for (const char* type : {"uint8", "float32"})
      for (const char* transfer : {"blocking", "overlapped"})
        needed.insert(static_cast<double>(surface.device_bytes(
            Configuration({{"batch_size", batch}, {"input_type", std::string(type)}, {"transfer", std::string(transfer)}}))));
  for (const double bytes : needed)
    if (bytes <= p.device_bytes) p.device_bytes = std::max(p.device_bytes, bytes / memory_share_allowed);
}

SyntheticParameters parameters_for(std::uint64_t seed, const SyntheticOptions& options) {
  SyntheticParameters p = draw_parameters(seed, options.family);
  if (options.family != SyntheticFamily::all_but_one_infeasible)
    leave_room(p, SyntheticSurface(p, seed), synthetic_axes(seed, options.family, p.effective_cpus, options.small).at("batch_size"));
  return p;
}

PhaseSummary steady(double ms, std::int64_t count) {
  PhaseSummary summary;
  summary.mean = summary.p50 = summary.p95 = summary.p99 = summary.max = ms;
  summary.count = count;
  return summary;
}

Fact fact(AxisValue value) { return {.value = std::move(value), .source = "synthetic", .reason = {}}; }

double batch_size(const Configuration& c) { return static_cast<double>(c.integer("batch_size").value_or(64)); }

}  // namespace

SyntheticMachine::SyntheticMachine(std::uint64_t seed, const SyntheticOptions& options)
    : seed_(seed),
      noise_(options.noise),
      parameters_(parameters_for(seed, options)),
      axes_(synthetic_axes(seed, options.family, parameters_.effective_cpus, options.small)),
      surface_(parameters_, seed) {
  SeededDraw draw(seed, stream_of("machine"));
  worker_start_s_ = draw.log_uniform(0.005, 0.08);
  memory_law_known_ = !draw.chance(1.0 / 3) && options.family != SyntheticFamily::all_but_one_infeasible;
}

std::optional<double> SyntheticMachine::true_images_per_s(const Configuration& configuration) const {
  if (!configuration.integer("batch_size") || surface_.runs_out(configuration)) return std::nullopt;
  return surface_.images_per_s(configuration);
}

std::optional<std::uint64_t> SyntheticMachine::planned_device_bytes(const Configuration& configuration) const {
  if (!memory_law_known_) return std::nullopt;
  return static_cast<std::uint64_t>(surface_.device_bytes(configuration));
}

void SyntheticMachine::describe(Run& header) const {
  header.machine.cpus.effective = parameters_.effective_cpus;
  header.machine.cpus.limited_by = "online";
  header.machine.cpus.online = header.machine.cpus.affinity = static_cast<int>(parameters_.effective_cpus);
  header.machine.facts["memory_bytes"] = fact(static_cast<std::int64_t>(parameters_.host_bytes));
  header.machine.facts["cores"] = fact(static_cast<std::int64_t>(parameters_.physical_cores));
  header.machine.facts["threads"] = fact(static_cast<std::int64_t>(parameters_.effective_cpus));
  header.data.layout = "synthetic";
  header.data.images = 100'000;
  header.device.name = parameters_.step_on_cores ? "cpu" : "synthetic";
  header.device.title = "made-up device";
  header.device.copies = !parameters_.step_on_cores;
  header.device.memory_bytes = static_cast<std::int64_t>(parameters_.device_bytes);
  header.device.precisions = {"fp32", "bf16"};
  header.model.name = "synthetic";
}

TrialResult SyntheticMachine::answer(const TrialRequest& request, double now_s) const {
  TrialResult result;
  result.incarnation = static_cast<int>(request.id);
  const Configuration& c = request.configuration;
  const bool on_device = request.purpose == Purpose::trial || request.purpose == Purpose::step_only;
  const auto fail = [&](TrialStatus status, const std::string& reason) {
    result.status = status;
    result.reason = reason;
    result.stop_reason = "error";
    result.cost_s = start_up_s(c) + failed_s;
    return result;
  };
  if (!c.integer("batch_size")) return fail(TrialStatus::unsupported, "a made-up machine needs a batch_size");
  if (const auto memory = surface_.runs_out(c); memory && on_device && (request.purpose == Purpose::trial || *memory == MemoryKind::device)) {
    result.memory_kind = memory;
    return fail(TrialStatus::out_of_memory, "the made-up machine has no more");
  }
  if (request.purpose == Purpose::trial && noise_.never_settles(seed_, request.id)) {
    result.status = TrialStatus::no_steady_state;
    result.reason = "throughput rises and falls like a sawtooth";
    result.stop_reason = "time";
    result.cost_s = start_up_s(c) + request.target.max_time_s * 4 / 3;
    return result;
  }
  const double factor = noise_.factor(seed_, request.id, now_s);
  switch (request.purpose) {
    case Purpose::trial:
      answer_trial(request, factor, result);
      break;
    case Purpose::loader_only:
      answer_loader(request, factor, result);
      break;
    case Purpose::step_only:
      answer_step(request, factor, result);
      break;
    case Purpose::copy_only:
      answer_copy(request, factor, result);
      break;
  }
  return result;
}

double SyntheticMachine::start_up_s(const Configuration& c) const {
  return base_start_up_s + worker_start_s_ * static_cast<double>(c.integer("num_workers").value_or(0));
}

double SyntheticMachine::step_cpu_s_per_image(const Configuration& c) const {
  return (parameters_.step_on_cores ? parameters_.physical_cores : 0.05) * surface_.step_s(c) / batch_size(c);
}

void SyntheticMachine::measure(const TrialRequest& request, double images_per_s, std::int64_t least_steps, TrialResult& result) const {
  const double second = noise_.within_cv;
  const double narrow_s = std::pow(1.96 * second / std::max(1e-6, request.target.relative_half_width), 2);
  const double batch = batch_size(request.configuration);
  const double least_s = std::max(request.target.min_time_s, static_cast<double>(least_steps) * batch / images_per_s);
  result.stop_reason = narrow_s <= request.target.max_time_s ? "interval" : "time";
  result.measured_s = std::max(least_s, std::min(narrow_s, request.target.max_time_s));
  result.measured_steps = std::max<std::int64_t>(least_steps, std::llround(result.measured_s * images_per_s / batch));
  const std::int64_t n = std::clamp<std::int64_t>(result.measured_steps, 5, 30);
  SeededDraw draw(seed_ ^ stream_of("within"), static_cast<std::uint64_t>(request.id));
  const double se = second / std::sqrt(result.measured_s);
  const double mean = images_per_s * (1 + se * draw.normal());
  double squares = 0;  // chi square with n - 1 degrees of freedom: what n batch means scatter
  for (std::int64_t i = 1; i < n; ++i) squares += std::pow(draw.normal(), 2);
  const double half = student_t_quantile(0.975, static_cast<double>(n - 1)) * se * std::sqrt(squares / static_cast<double>(n - 1));
  result.images_per_s = Interval{mean, mean * (1 - half), mean * (1 + half), n};
  result.phases["step"] = steady(1e3 * batch / mean, result.measured_steps);
}

void SyntheticMachine::answer_trial(const TrialRequest& request, double factor, TrialResult& result) const {
  const Configuration& c = request.configuration;
  const std::int64_t workers = c.integer("num_workers").value_or(0);
  const std::int64_t fill = workers == 0 ? 1 : c.text("loader") == "pooled" ? c.integer("ready_batches").value_or(4) : workers * c.integer("prefetch").value_or(2);
  const double true_rate = surface_.images_per_s(c);
  const std::int64_t least_steps = std::max<std::int64_t>(10, 3 * workers);
  measure(request, true_rate * factor, least_steps, result);
  const double wall_ms = result.phases["step"].mean, step_ms = 1e3 * surface_.running_step_s(c), copy_ms = 1e3 * surface_.copy_s(c);
  const double exposed_ms = c.text("transfer") == "overlapped" ? std::max(0.0, copy_ms - step_ms) : copy_ms;
  const double idle_ms = std::max(0.0, wall_ms - step_ms - exposed_ms);
  const auto phase = [&](const char* name, double ms) { result.phases[name] = steady(ms, result.measured_steps); };
  phase("forward", step_ms / 3);
  phase("backward", step_ms * 0.64);
  phase("update", step_ms * (1 - 1.0 / 3 - 0.64));
  if (!parameters_.step_on_cores) {
    phase("h2d", copy_ms);
    phase("h2d_exposed", exposed_ms);
    phase("h2d_host", c.text("host_memory") == "pinned" ? 0.02 : copy_ms);
  }
  phase("data_wait", idle_ms);
  phase("device_idle", idle_ms);
  result.device_busy = 1 - idle_ms / wall_ms;
  result.worker_ms_per_image = {{"decode", 1e3 * surface_.decode_s(c)}, {"transform", 1e3 * surface_.transform_s(c)}};
  result.host.cpu_s_per_image = surface_.decode_s(c) + surface_.transform_s(c) + step_cpu_s_per_image(c);
  result.memory.device_peak_bytes = surface_.device_bytes(c);
  result.memory.device_limit_bytes = static_cast<std::int64_t>(parameters_.device_bytes);
  result.memory.batch_buffer_bytes = surface_.buffer_bytes(c);
  result.memory.pinned_bytes = c.text("host_memory") == "pinned" ? surface_.buffer_bytes(c) : 0;
  result.startup_s = start_up_s(c);
  const double filling_s = static_cast<double>(fill + 2) * batch_size(c) / true_rate;
  result.cost_s = *result.startup_s + filling_s + std::min(1.0, request.target.max_time_s / 3) + result.measured_s;
}

void SyntheticMachine::answer_loader(const TrialRequest& request, double factor, TrialResult& result) const {
  const Configuration& c = request.configuration;
  const double workers = static_cast<double>(std::max<std::int64_t>(1, c.integer("num_workers").value_or(0)));
  const double rate = surface_.loader_images_per_s(c);
  measure(request, rate * factor, 10, result);
  const double busy_ms = 1e3 * std::min(workers, parameters_.effective_cpus) / result.images_per_s->mean;
  const double decode_share = surface_.decode_s(c) / (surface_.decode_s(c) + surface_.transform_s(c));
  result.worker_ms_per_image = {{"decode", busy_ms * decode_share}, {"decode_cpu", busy_ms * decode_share}, {"transform", busy_ms * (1 - decode_share)},
                                {"open", 0.01}, {"read", 0.02}, {"collate", 0}, {"blocked", 0}, {"starved", 0}};
  result.phases["data_wait"] = result.phases["step"];
  result.host.cpu_s_per_image = 1e-3 * busy_ms;
  result.cost_s = component_start_up_s + start_up_s(c) + result.measured_s;
}

void SyntheticMachine::answer_step(const TrialRequest& request, double, TrialResult& result) const {
  // A device alone repeats well: neither the loader's noise nor the host's drift reaches it.
  const double step_s = surface_.step_s(request.configuration);
  measure(request, batch_size(request.configuration) / step_s, 5, result);
  const auto phase = [&](const char* name, double share) { result.phases[name] = steady(1e3 * step_s * share, result.measured_steps); };
  phase("forward", 1.0 / 3);
  phase("backward", 0.64);
  phase("update", 1 - 1.0 / 3 - 0.64);
  result.device_busy = 1;
  result.host.cpu_s_per_image = step_cpu_s_per_image(request.configuration);
  result.memory.device_peak_bytes = surface_.device_bytes(request.configuration);
  result.memory.device_limit_bytes = static_cast<std::int64_t>(parameters_.device_bytes);
  result.cost_s = component_start_up_s + result.measured_s;
}

void SyntheticMachine::answer_copy(const TrialRequest& request, double factor, TrialResult& result) const {
  const double copy_s = surface_.copy_s(request.configuration);
  measure(request, factor * batch_size(request.configuration) / copy_s, 10, result);
  for (const char* name : {"h2d", "h2d_exposed", "h2d_host"}) result.phases[name] = steady(1e3 * copy_s / factor, result.measured_steps);
  result.cost_s = component_start_up_s + result.measured_s;
}

}  // namespace feedtune
