#include "sweep/trial_length.hpp"

#include <algorithm>
#include <optional>

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
  const std::int64_t workers = std::max(1, loader.num_workers);
  std::int64_t fill = 1;
  if (loader.num_workers > 0)
    fill = loader.kind == LoaderKind::pooled ? loader.ready_batches : workers * loader.prefetch;
  return (fill + 3 * workers) * loader.batch_size;
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

double estimated_s(const TrialRequest& request, double effective_cpus) {
  const double start_up_s = 0.3;
  if (request.purpose != Purpose::trial) return start_up_s + request.target.max_time_s;
  const LoaderSetup& loader = request.setup.loader;
  const double busy_cpus = std::clamp<double>(loader.num_workers * loader.worker_threads, 1, std::max(1.0, effective_cpus));
  const double least_s = 0.01 * static_cast<double>(images_needed(loader)) / busy_cpus;
  const double warm_up_s = std::min(1.0, request.target.max_time_s / 3);
  return start_up_s + std::max(warm_up_s + request.target.max_time_s, least_s);
}

}  // namespace feedtune
