#include "sweep/trial_length.hpp"

#include <algorithm>
#include <optional>

#include "core/batch_slots.hpp"

namespace feedtune {
namespace {

constexpr double start_up_allowance_s = 30;
constexpr double slow_storage_bytes_per_s = 50e6;
constexpr double longest_data_read_s = 300;

std::optional<double> slowest(const Run& run, Purpose purpose) {
  std::optional<double> rate;
  for (const TrialResult& trial : run.trials) {
    if (trial.purpose != purpose || trial.stage != "component" || trial.status != TrialStatus::ok || !trial.images_per_s) continue;
    if (trial.images_per_s->mean > 0) rate = std::min(rate.value_or(trial.images_per_s->mean), trial.images_per_s->mean);
  }
  return rate;
}

}  // namespace

std::int64_t images_needed(const LoaderSetup& loader) {
  return images_of_shortest_trial(loader.kind, loader.batch_size, loader.num_workers, loader.prefetch, loader.ready_batches);
}

double time_limit_s(const TrialRequest& request, const Run& so_far) {
  const double loader = slowest(so_far, Purpose::loader_only).value_or(20);
  const double step = slowest(so_far, Purpose::step_only).value_or(20);
  const double seconds_per_image = 1 / loader + 1 / step;
  // Storage in memory and a warm cache read all data once before the clock runs.
  const double data_s = std::min(longest_data_read_s, static_cast<double>(so_far.data.bytes) / slow_storage_bytes_per_s);
  return start_up_allowance_s + data_s + 3 * request.target.max_time_s +
         4 * seconds_per_image * static_cast<double>(images_needed(request.setup.loader));
}

double estimated_s(const TrialRequest& request, const SpaceContext& context) {
  constexpr double start_up_s = 0.3, image_s = 0.005;
  const LoaderSetup& loader = request.setup.loader;
  const double cpus = std::max(1.0, context.effective_cpus);
  const double step_s = context.device.name == "cpu" ? image_s / cpus : 0;
  const double load_s = image_s / std::clamp<double>(loader.num_workers * loader.worker_threads, 1, cpus);
  double each_s = 0;
  if (request.purpose == Purpose::loader_only) each_s = load_s;
  if (request.purpose == Purpose::step_only) each_s = step_s;
  if (request.purpose == Purpose::trial) each_s = load_s + step_s;
  const double warm_up_s = request.purpose == Purpose::trial ? std::min(1.0, request.target.max_time_s / 3) : 0;
  return start_up_s + std::max(warm_up_s + request.target.max_time_s, each_s * static_cast<double>(images_needed(loader)));
}

}  // namespace feedtune
