#include "replay/synthetic_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/batch_slots.hpp"
#include "replay/seeded_draw.hpp"
#include "replay/synthetic_delivery.hpp"

namespace feedtune {
namespace {

constexpr double values_per_image = 3.0 * 224 * 224;
constexpr double flat_images_per_s = 500;

double batch_size(const Configuration& c) { return static_cast<double>(c.integer("batch_size").value_or(64)); }
std::int64_t workers(const Configuration& c) { return c.integer("num_workers").value_or(0); }
bool pooled(const Configuration& c) { return c.text("loader") == "pooled"; }
bool pinned(const Configuration& c) { return c.text("host_memory") == "pinned"; }
bool overlapped(const Configuration& c) { return c.text("transfer") == "overlapped"; }
bool whole_image(const Configuration& c) { return c.text("decoder") == "turbo_full"; }
bool float32(const Configuration& c) { return c.text("input_type") != "uint8"; }
double image_bytes(const Configuration& c) { return values_per_image * (float32(c) ? 4 : 1); }

std::int64_t slots(const Configuration& c) {
  return planned_batch_slots(pooled(c) ? LoaderKind::pooled : LoaderKind::batch_per_worker, workers(c), c.integer("prefetch").value_or(2),
                             c.integer("ready_batches").value_or(4), pinned(c) ? HostMemory::pinned : HostMemory::pageable);
}

}  // namespace

double SyntheticSurface::decode_s(const Configuration& c) const { return p_.decode_s * (whole_image(c) ? p_.whole_image_ratio : 1); }

double SyntheticSurface::transform_s(const Configuration& c) const {
  return (float32(c) ? p_.float32_s : 0) + (pooled(c) ? p_.pooled_s : p_.worker_batch_s / batch_size(c));
}

/// Images/s of all workers together, while nothing else holds them up; `cores_taken` by the training thread.
double SyntheticSurface::loading_rate(const Configuration& c, double cores_taken) const {
  const double alone_s = decode_s(c) + transform_s(c);
  const double w = static_cast<double>(std::max<std::int64_t>(1, workers(c)));
  const double first = std::max(0.5, p_.physical_cores - cores_taken);
  const double second = std::max(0.0, std::min(w, p_.effective_cpus - cores_taken) - first);
  double cores = std::min(w, first) + p_.smt_gain * second;
  if (w > p_.effective_cpus) cores *= 1 - p_.oversubscribed_loss * std::min(2.0, w / p_.effective_cpus - 1);
  const double busy = std::min(w + cores_taken, p_.physical_cores);
  const double frequency = p_.physical_cores > 1 ? 1 - p_.turbo_loss * std::max(0.0, busy - 1) / (p_.physical_cores - 1) : 1;
  const double contention = 1 + p_.sigma * std::max(0.0, cores - 1) + p_.kappa * cores * std::max(0.0, cores - 1);
  const double slots_over_cache = static_cast<double>(buffer_bytes(c)) / p_.llc_bytes;
  const double cache = 1 - p_.llc_loss * slots_over_cache * slots_over_cache / (1 + slots_over_cache * slots_over_cache);
  const double computed = cores * frequency * cache / contention / alone_s;
  // Decoded pixels are written once and read again for the crop; the batch is written; collating reads and writes it again.
  const double bytes = (whole_image(c) ? 3.5e6 : 1.2e6) + image_bytes(c) * (pooled(c) ? 2 : 4) + (pinned(c) && !pooled(c) ? 2 : 0) * image_bytes(c);
  const double fed = p_.memory_bytes_per_s / bytes;
  return std::pow(std::pow(computed, -p_.roofline_power) + std::pow(fed, -p_.roofline_power), -1 / p_.roofline_power);
}

double SyntheticSurface::loader_images_per_s(const Configuration& c) const { return p_.flat ? 2 * flat_images_per_s : loading_rate(c, 0); }

double SyntheticSurface::step_s(const Configuration& c) const {
  const double batch = batch_size(c);
  if (p_.flat) return batch / flat_images_per_s;
  const double tiles = p_.tile * std::ceil(batch / p_.tile);
  return p_.launch_s + p_.image_step_s * ((1 - p_.tile_share) * batch + p_.tile_share * tiles);
}

/// The cores' time is shared out: what loading a batch takes of it is added to the step's, for neither waits while the other works.
double SyntheticSurface::running_step_s(const Configuration& c) const {
  const auto w = static_cast<double>(workers(c));
  if (!p_.step_on_cores || w == 0) return step_s(c);
  const double load_core_s = batch_size(c) * (decode_s(c) + transform_s(c)) / (1 - p_.turbo_loss);
  return (step_s(c) + load_core_s / p_.physical_cores) * (1 + p_.step_crowding * std::min(2.0, w / p_.physical_cores));
}

double SyntheticSurface::copy_s(const Configuration& c) const {
  return p_.copy_latency_s + batch_size(c) * image_bytes(c) / (pinned(c) ? p_.pinned_bytes_per_s : p_.pageable_bytes_per_s);
}

double SyntheticSurface::images_per_s(const Configuration& c) const {
  if (p_.flat) return flat_images_per_s;
  const double batch = batch_size(c);
  const std::int64_t w = workers(c);
  SyntheticDelivery d;
  d.in_order = !pooled(c);
  d.workers = w;
  d.ahead = d.in_order ? c.integer("prefetch").value_or(2) : c.integer("ready_batches").value_or(4);
  d.load_s = batch / loading_rate(c, w == 0 ? 0 : p_.training_thread_cores) * (d.in_order ? static_cast<double>(std::max<std::int64_t>(1, w)) : 1);
  d.load_cv = std::hypot(p_.batch_cv, p_.image_cv / std::sqrt(batch));
  if (d.in_order && pinned(c)) d.pin_s = batch * image_bytes(c) / p_.memcpy_bytes_per_s;
  const bool hidden = pinned(c) && overlapped(c);
  const double copy = copy_s(c);
  d.step_s = running_step_s(c);
  // From pageable memory the host is in the copy until it is done; a hidden one still takes the longer of the two.
  d.host_copy_s = pinned(c) ? 0 : copy;
  d.exposed_copy_s = hidden ? std::max(0.0, copy - d.step_s) + 0.03 * std::min(copy, d.step_s) : pinned(c) ? copy : 0;
  d.wait_each = c.text("sync") == "each";
  const double rate = batch / delivery_s(d, seed_);
  SeededDraw rough(seed_, stream_of(c.key()));
  return rate * std::exp(p_.roughness * rough.normal() + pair_effects(c));
}

/// A few pairs of settings, each with an effect of its own when both hold.
double SyntheticSurface::pair_effects(const Configuration& c) const {
  constexpr std::size_t pairs = 6;
  const std::array<bool, 7> holds = {pooled(c),  pinned(c), whole_image(c), float32(c), batch_size(c) >= 256, static_cast<double>(workers(c)) >= p_.effective_cpus,
                                     c.integer("prefetch").value_or(c.integer("ready_batches").value_or(0)) >= 4};
  SeededDraw draw(seed_, stream_of("pairs"));
  double effect = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t one = draw.index(holds.size()), other = draw.index(holds.size());
    const double size = p_.interaction * draw.normal();
    if (one != other && holds[one] && holds[other]) effect += size;
  }
  return effect;
}

std::int64_t SyntheticSurface::device_bytes(const Configuration& c) const {
  const double inputs = batch_size(c) * image_bytes(c) * (overlapped(c) ? 2 : 1);
  return std::llround(p_.model_bytes + p_.activation_bytes * batch_size(c) + inputs);
}

std::int64_t SyntheticSurface::buffer_bytes(const Configuration& c) const {
  return slots(c) * std::llround(batch_size(c) * image_bytes(c));
}

std::optional<MemoryKind> SyntheticSurface::runs_out(const Configuration& c) const {
  if (static_cast<double>(device_bytes(c)) > p_.device_bytes) return MemoryKind::device;
  const auto buffers = static_cast<double>(buffer_bytes(c));
  if (pinned(c) && buffers > p_.pinned_limit_bytes) return MemoryKind::pinned;
  if (buffers > p_.host_bytes) return MemoryKind::host;
  return std::nullopt;
}

}  // namespace feedtune
