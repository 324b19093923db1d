#include "analyze/ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

namespace feedtune {
namespace {

bool is_component(const TrialResult& t, Purpose purpose) {
  return t.purpose == purpose && t.stage != "anchor" && t.status == TrialStatus::ok && t.images_per_s &&
         std::isfinite(t.images_per_s->mean) && t.images_per_s->mean > 0;
}

/// 0 where the axis has the same value or is absent on either side.
int differs(const Configuration& a, const Configuration& b, const std::string& axis) {
  const auto left = a.values().find(axis), right = b.values().find(axis);
  return left != a.values().end() && right != b.values().end() && left->second != right->second ? 1 : 0;
}

/// The component trial that is most like the chosen configuration; of equals, the fastest.
const TrialResult* nearest(const Run& run, Purpose purpose, const Configuration& chosen) {
  const TrialResult* best = nullptr;
  std::tuple<int, double, double> best_order;
  for (const TrialResult& t : run.trials) {
    if (!is_component(t, purpose)) continue;
    int unlike = 0;
    for (const char* axis : {"host_memory", "pinning", "input_type", "precision", "transfer", "model_threads"})
      unlike += differs(t.configuration, chosen, axis);
    const auto batch = static_cast<double>(t.configuration.integer("batch_size").value_or(1));
    const auto wanted = static_cast<double>(chosen.integer("batch_size").value_or(1));
    const std::tuple order(unlike, std::abs(std::log(batch / wanted)), -t.images_per_s->mean);
    if (best == nullptr || order < best_order) best = &t, best_order = order;
  }
  return best;
}

const TrialResult* fastest(const Run& run, Purpose purpose) {
  const TrialResult* best = nullptr;
  for (const TrialResult& t : run.trials)
    if (is_component(t, purpose) && (best == nullptr || t.images_per_s->mean > best->images_per_s->mean)) best = &t;
  return best;
}

/// CPU-seconds to load one image, by the loader that is chosen where it was measured alone.
std::optional<double> loader_cpu_s(const Run& run, const Configuration& chosen) {
  std::optional<double> best;
  int best_unlike = 0;
  for (const TrialResult& t : run.trials) {
    if (!is_component(t, Purpose::loader_only) || !t.host.cpu_s_per_image) continue;
    int unlike = 0;
    for (const char* axis : {"loader", "decoder", "input_type", "resize"})
      unlike += differs(t.configuration, chosen, axis);
    if (!best || unlike < best_unlike || (unlike == best_unlike && *t.host.cpu_s_per_image < *best))
      best = t.host.cpu_s_per_image, best_unlike = unlike;
  }
  return best;
}

}  // namespace

Ceilings find_ceilings(const Run& run, const Configuration& chosen) {
  Ceilings c;
  if (const TrialResult* t = fastest(run, Purpose::loader_only)) {
    c.loader = t->images_per_s->mean;
    c.loader_configuration = t->configuration.key();
  }
  if (run.device.copies)
    if (const TrialResult* t = nearest(run, Purpose::copy_only, chosen)) c.h2d = t->images_per_s->mean;
  const TrialResult* step = nearest(run, Purpose::step_only, chosen);
  if (step != nullptr) c.step = step->images_per_s->mean;
  if (!run.device.copies && step != nullptr && step->host.cpu_s_per_image) {
    const auto load = loader_cpu_s(run, chosen);
    const double cpu_s = load.value_or(0) + *step->host.cpu_s_per_image;
    // The step alone may not get all the CPUs (its parts that run on one, other programs): loading makes that no better.
    if (load && cpu_s > 0) c.joint_cpu = std::min(run.machine.cpus.effective / cpu_s, *c.step);
  }
  std::optional<double> lowest;
  const auto consider = [&](const std::optional<double>& ceiling, const char* name) {
    if (!ceiling || (lowest && *lowest <= *ceiling)) return;
    lowest = ceiling;
    c.binds = name;
  };
  consider(c.step, "step");  // first: where the CPUs would do for more, it is the step that binds
  consider(c.joint_cpu, "joint_cpu");
  consider(c.h2d, "h2d");
  consider(c.loader, "loader");
  if (!c.loader) c.binds.clear();  // it could not be measured, and may be lower than all of them
  return c;
}

std::optional<double> lowest_ceiling(const Ceilings& c) {
  std::optional<double> lowest;
  for (const auto& ceiling : {c.loader, c.h2d, c.step, c.joint_cpu})
    if (ceiling && (!lowest || *ceiling < *lowest)) lowest = ceiling;
  return lowest;
}

}  // namespace feedtune
