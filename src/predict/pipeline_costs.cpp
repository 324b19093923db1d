#include "predict/pipeline_costs.hpp"

#include <algorithm>
#include <cmath>

#include "predict/delivery.hpp"

namespace feedtune {
namespace {

/// Two things of which the shorter is hidden behind the longer but for a share.
double together_s(double one_s, double other_s, double exposed) { return std::max(one_s, other_s) + exposed * std::min(one_s, other_s); }

double consumer_s(const PipelineCosts& c) { return together_s(c.step_s, c.copy_s, c.copy_exposed); }

double loading_rate(const PipelineCosts& c, double cores_taken) {
  const Cores left = {.physical = std::max(0.5, c.cores.physical - cores_taken), .logical = std::max(0.5, c.cores.logical - cores_taken)};
  const double rate = c.scaling.speedup(static_cast<double>(std::max<std::int64_t>(1, c.workers)), left) / c.image_load_s;
  return c.loader_roof > 0 ? under_roof(rate, c.loader_roof) : rate;
}

double batch_s(const PipelineCosts& c) {
  const auto images = static_cast<double>(c.batch_size);
  if (c.workers == 0) {
    const double load_s = images * c.image_load_s + c.pin_s;
    return c.host_copies ? together_s(load_s + c.copy_s, c.step_s, c.load_exposed) : together_s(load_s, consumer_s(c), c.load_exposed);
  }
  const double rate = loading_rate(c, c.cores_taken);
  Delivery delivery{.workers = 1, .tokens = std::max<std::int64_t>(1, c.batches_ahead), .load_s = images / rate,
                    .load_cv = c.image_load_cv / std::sqrt(images), .serial_s = c.pin_s, .consume_s = consumer_s(c)};
  if (!c.pooled) {
    delivery.workers = c.workers;
    delivery.load_s *= static_cast<double>(c.workers);
  } else if (delivery.tokens == 1) {
    // One slot: nobody starts on the next batch while the last images of this one are being loaded.
    delivery.load_s = makespan_s(c.batch_size, c.workers, static_cast<double>(c.workers) / rate, c.image_load_cv);
  }
  return batch_interval_s(delivery);
}

}  // namespace

double loader_images_per_s(const PipelineCosts& c) { return loading_rate(c, 0); }

double images_per_s(const PipelineCosts& c) {
  const auto images = static_cast<double>(c.batch_size);
  const double alone = images / batch_s(c);
  if (c.step_cores <= 0 || c.workers == 0) return alone;
  const double core_s = images * c.image_load_s + c.pin_s + c.step_s * c.step_cores;
  const double all = c.scaling.speedup(c.cores.logical, c.cores);
  return under_roof(alone, images * all / core_s);
}

}  // namespace feedtune
