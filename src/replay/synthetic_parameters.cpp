#include "replay/synthetic_parameters.hpp"

#include <algorithm>

#include "replay/seeded_draw.hpp"

namespace feedtune {
namespace {

/// Images/s of the loader with every CPU at work, about: what the device's speed is set against.
double loading_capacity(const SyntheticParameters& p) {
  const double cores = p.physical_cores + p.smt_gain * (p.effective_cpus - p.physical_cores);
  return cores * (1 - p.turbo_loss) / (1 + p.sigma * (cores - 1) + p.kappa * cores * (cores - 1)) / p.decode_s;
}

/// The step alone gives `ratio` times what loading can.
void set_step(SyntheticParameters& p, double ratio, double launch_images) {
  p.image_step_s = 1 / (ratio * loading_capacity(p));
  p.launch_s = launch_images * p.image_step_s;
}

SyntheticParameters anything(SeededDraw& draw) {
  SyntheticParameters p;
  constexpr double cpus[] = {4, 6, 8, 16};
  p.effective_cpus = cpus[draw.index(4)];
  p.physical_cores = draw.chance(0.5) ? p.effective_cpus / 2 : p.effective_cpus;
  p.smt_gain = draw.uniform(0.1, 0.4);
  p.turbo_loss = draw.uniform(0.05, 0.25);
  p.sigma = draw.uniform(0.005, 0.06);
  p.kappa = draw.chance(0.3) ? draw.log_uniform(2e-4, 4e-3) : 0;
  p.oversubscribed_loss = draw.uniform(0, 0.2);
  p.training_thread_cores = draw.uniform(0.05, 1);
  p.decode_s = draw.log_uniform(6e-4, 5e-3);
  p.whole_image_ratio = draw.uniform(1.1, 2);
  p.float32_s = draw.uniform(0.02, 0.15) * p.decode_s;
  p.pooled_s = draw.uniform(0, 0.05) * p.decode_s;
  p.image_cv = draw.uniform(0.3, 1);
  p.batch_cv = draw.uniform(0.02, 0.08);
  p.worker_batch_s = draw.log_uniform(1e-4, 3e-3);
  p.memcpy_bytes_per_s = draw.uniform(3e9, 12e9);
  p.memory_bytes_per_s = loading_capacity(p) * 6e6 * draw.log_uniform(0.8, 8);
  p.roofline_power = draw.uniform(2.5, 6);
  p.llc_bytes = draw.log_uniform(8e6, 256e6);
  p.llc_loss = draw.uniform(0, 0.12);
  set_step(p, draw.log_uniform(0.4, 2.5), draw.log_uniform(2, 30));
  constexpr double tiles[] = {16, 24, 48, 80, 96};
  p.tile = tiles[draw.index(5)];
  p.tile_share = draw.uniform(0, 0.3);
  p.copy_latency_s = draw.log_uniform(1e-5, 2e-4);
  // A float32 image is 0.6 MB: its copy takes from a twentieth to the whole of the image's step.
  p.pinned_bytes_per_s = 6e5 / (p.image_step_s * draw.log_uniform(0.05, 1));
  p.pageable_bytes_per_s = p.pinned_bytes_per_s * draw.uniform(0.25, 0.7);
  p.model_bytes = draw.uniform(3e8, 3e9);
  p.activation_bytes = draw.log_uniform(5e6, 40e6);
  p.device_bytes = p.model_bytes + p.activation_bytes * draw.log_uniform(150, 2000);
  p.pinned_limit_bytes = draw.chance(0.3) ? draw.log_uniform(5e8, 8e9) : 1e12;
  p.interaction = draw.uniform(0, 0.03);
  return p;
}

}  // namespace

SyntheticParameters draw_parameters(std::uint64_t seed, SyntheticFamily family) {
  SeededDraw draw(seed, stream_of("parameters"));
  SyntheticParameters p = anything(draw);
  switch (family) {
    case SyntheticFamily::mixed:
      break;
    case SyntheticFamily::decode_bound:
      p.kappa = 0;
      set_step(p, draw.uniform(3, 6), 3);
      p.pinned_bytes_per_s = p.pageable_bytes_per_s = 20e6 / p.image_step_s;
      break;
    case SyntheticFamily::step_plateau:
      set_step(p, draw.uniform(0.12, 0.2), 0.1);
      p.pinned_bytes_per_s = p.pageable_bytes_per_s = 200e6 / p.image_step_s;
      p.tile_share = 0;
      p.roughness = 0.001;
      p.interaction = 0;
      break;
    case SyntheticFamily::copy_bound:
      set_step(p, draw.uniform(3, 5), 3);
      p.pinned_bytes_per_s = draw.uniform(0.15, 0.25) * loading_capacity(p) * 6e5;
      p.pageable_bytes_per_s = 0.4 * p.pinned_bytes_per_s;
      break;
    case SyntheticFamily::bandwidth_bound:
      p.memory_bytes_per_s = loading_capacity(p) * 6e6 * draw.uniform(0.35, 0.5);
      set_step(p, draw.uniform(2, 4), 3);
      break;
    case SyntheticFamily::retrograde:
      p.effective_cpus = 16;
      p.physical_cores = 16;
      p.sigma = 0.03;
      p.kappa = draw.uniform(0.012, 0.03);
      set_step(p, draw.uniform(2, 4), 3);
      break;
    case SyntheticFamily::smt_kink:
      p.effective_cpus = 16;
      p.physical_cores = 8;
      p.smt_gain = draw.uniform(0, 0.08);
      p.oversubscribed_loss = draw.uniform(0.1, 0.3);
      p.kappa = 0;
      set_step(p, draw.uniform(2, 4), 3);
      break;
    case SyntheticFamily::oom_cliff:
      set_step(p, draw.uniform(0.6, 0.9), draw.uniform(60, 150));
      p.llc_loss = 0;
      p.tile_share = 0;
      p.device_bytes = p.model_bytes + p.activation_bytes * draw.uniform(320, 450);
      p.pinned_limit_bytes = 1e12;
      break;
    case SyntheticFamily::tile_quantised:
      set_step(p, draw.uniform(0.3, 0.6), 5);
      p.tile = 96;
      p.tile_share = draw.uniform(0.7, 1);
      break;
    case SyntheticFamily::zero_workers_best:
      p.effective_cpus = p.physical_cores = 1;
      p.oversubscribed_loss = draw.uniform(0.2, 0.35);
      p.training_thread_cores = draw.uniform(0.25, 0.4);
      p.kappa = 0;
      set_step(p, draw.uniform(8, 15), 3);
      p.pinned_bytes_per_s = p.pageable_bytes_per_s = 60e6 / p.image_step_s;
      break;
    case SyntheticFamily::cpu_device:
      p.step_on_cores = true;
      p.step_crowding = draw.uniform(0, 0.25);
      p.training_thread_cores = 0;  // its work is the step's
      set_step(p, draw.log_uniform(0.5, 4), draw.log_uniform(0.5, 5));
      p.tile_share = 0;
      p.copy_latency_s = 0;
      p.pinned_bytes_per_s = p.pageable_bytes_per_s = 1e18;
      break;
    case SyntheticFamily::interaction:
      p.interaction = 0.12;
      break;
    case SyntheticFamily::rough:
      p.roughness = 0.04;
      break;
    case SyntheticFamily::all_equal:
      p.flat = true;
      p.device_bytes = p.pinned_limit_bytes = p.host_bytes = 1e12;
      break;
    case SyntheticFamily::all_but_one_infeasible:
      // The smallest batch, 0 workers, pageable: see the axes of this family.
      p.device_bytes = p.model_bytes + 17 * p.activation_bytes;
      p.pinned_limit_bytes = 0;
      p.host_bytes = 4.1 * 16 * 3 * 224 * 224;
      break;
  }
  return p;
}

}  // namespace feedtune
