#include "analyze/measurements.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "analyze/drift_correction.hpp"
#include "core/batch_slots.hpp"
#include "measure/statistics.hpp"

namespace feedtune {
namespace {

bool worked(const TrialResult& t) {
  return t.status == TrialStatus::ok && t.images_per_s && std::isfinite(t.images_per_s->mean) &&
         t.images_per_s->mean > 0;
}

/// Relative standard error that a trial's own interval implies (half width / 1.96).
double relative_se(const Interval& i) {
  if (i.n < 2 || !std::isfinite(i.low) || !std::isfinite(i.high) || i.high < i.low) return 0;
  return (i.high - i.low) / (2 * 1.96 * i.mean);
}

void add_trial(Measured& m, const TrialResult& t, const DriftCorrection& drift, std::map<int, std::vector<double>>& blocks) {
  const double value = std::log(t.images_per_s->mean);
  if (t.stage == "confirm") {
    blocks[t.block].push_back(value);
  } else {
    const DriftCorrection::Change change = drift.of(t);
    m.explore_log.push_back(value + change.log_rate);
    m.drift_sd = std::max(m.drift_sd, change.sd);
    m.within_trial_sd = std::max(m.within_trial_sd, relative_se(*t.images_per_s));
    m.batch_means = std::max(m.batch_means, t.images_per_s->n);
  }
}

void add_memory(Measured& m, const Run& run) {
  std::optional<std::int64_t> device;
  for (const TrialResult* t : m.trials) {
    if (!t->memory.device_peak_bytes) continue;
    device = std::max(device.value_or(0), *t->memory.device_peak_bytes);
    const auto limit = t->memory.device_limit_bytes ? t->memory.device_limit_bytes : run.device.memory_bytes;
    if (limit && *limit > 0)
      m.fits = m.fits &&
               static_cast<double>(*t->memory.device_peak_bytes) <= memory_share_allowed * static_cast<double>(*limit);
  }
  // Planned, not measured: how many slots a trial happened to allocate must not decide between equals.
  m.planned_memory_bytes = planned_buffer_bytes(m.configuration, run.spec.image_size) + device.value_or(0);
}

BlockFit fit_blocks(const std::vector<Measured>& all) {
  BlockFit fit;
  std::map<int, double> block_effect;
  int values = 0;
  for (const Measured& m : all) {
    if (!m.confirmed()) continue;
    fit.level[m.key] = 0;
    for (const auto& [block, value] : m.confirm_log) block_effect[block] = 0, ++values;
  }
  if (values == 0) return fit;
  // Alternating means: the normal equations of a two-way layout, solved by Gauss-Seidel.
  for (int iteration = 0; iteration < 200; ++iteration) {
    double change = 0;
    for (const Measured& m : all) {
      if (!m.confirmed()) continue;
      double sum = 0;
      for (const auto& [block, value] : m.confirm_log) sum += value - block_effect[block];
      const double level = sum / m.blocks();
      change = std::max(change, std::abs(level - fit.level[m.key]));
      fit.level[m.key] = level;
    }
    std::map<int, std::pair<double, int>> sums;
    for (const Measured& m : all)
      for (const auto& [block, value] : m.confirm_log) {
        sums[block].first += value - fit.level[m.key];
        sums[block].second += 1;
      }
    double mean_effect = 0;
    for (auto& [block, effect] : block_effect) {
      effect = sums[block].first / sums[block].second;
      mean_effect += effect / static_cast<double>(block_effect.size());
    }
    for (auto& [block, effect] : block_effect) effect -= mean_effect;
    if (change < 1e-12) break;
  }
  double squares = 0;
  for (const Measured& m : all)
    for (const auto& [block, value] : m.confirm_log) {
      const double residual = value - fit.level[m.key] - block_effect[block];
      squares += residual * residual;
    }
  fit.degrees_of_freedom = values - static_cast<int>(fit.level.size()) - static_cast<int>(block_effect.size()) + 1;
  if (fit.degrees_of_freedom > 0) fit.residual_sd = std::sqrt(squares / fit.degrees_of_freedom);
  Moments effects;
  for (const auto& [block, effect] : block_effect) effects.add(effect);
  fit.blocks = static_cast<int>(block_effect.size());
  if (fit.blocks < 2) return fit;
  // An effect is a mean of its block's trials and holds their noise too.
  std::map<int, int> trials_in;
  for (const Measured& m : all)
    for (const auto& [block, value] : m.confirm_log) ++trials_in[block];
  double share = 0;
  for (const auto& [block, trials] : trials_in) share += 1.0 / trials / fit.blocks;
  fit.block_sd = std::sqrt(std::max(0.0, effects.variance() - share * fit.residual_sd * fit.residual_sd));
  return fit;
}

void add_noise(Measurements& result) {
  double noise = 0;
  bool known = false;
  std::vector<double> within;
  double squares = 0;
  std::size_t degrees = 0;
  for (const Measured& m : result.all) {
    if (m.within_trial_sd > 0) within.push_back(m.within_trial_sd);
    if (m.explore_log.size() < 2) continue;
    squares += moments(m.explore_log).variance() * static_cast<double>(m.explore_log.size() - 1);
    degrees += m.explore_log.size() - 1;
  }
  if (degrees >= 2) noise = std::sqrt(squares / static_cast<double>(degrees)), known = true;
  if (!within.empty()) {
    noise = std::max(noise, median(within));
    known = true;
  }
  if (result.fit.degrees_of_freedom >= 3) noise = std::max(noise, result.fit.residual_sd), known = true;
  if (known) result.noise_measured = noise;
  // Nothing repeated and no interval: 2 % is what an undisturbed machine does from trial to trial.
  result.noise = known ? std::max(noise, noise_floor) : 0.02;
}

}  // namespace

bool is_of_the_search(const TrialResult& t) {
  return t.purpose == Purpose::trial && t.stage != "anchor" && t.stage != "component";
}

std::int64_t planned_buffer_bytes(const Configuration& c, int image_size) {
  const auto type = enum_from_text<InputType>(c.text("input_type").value_or("")).value_or(InputType::uint8);
  const std::int64_t image =
      std::int64_t{3} * image_size * image_size * static_cast<std::int64_t>(bytes_per_value(type));
  const auto kind = enum_from_text<LoaderKind>(c.text("loader").value_or("")).value_or(LoaderKind::batch_per_worker);
  const auto memory = enum_from_text<HostMemory>(c.text("host_memory").value_or("")).value_or(HostMemory::pageable);
  return c.integer("batch_size").value_or(1) * image *
         planned_batch_slots(kind, c.integer("num_workers").value_or(0), c.integer("prefetch").value_or(2),
                             c.integer("ready_batches").value_or(4), memory);
}

bool cheaper(const Measured& a, const Measured& b) {
  const auto order = [](const Measured& m) {
    return std::tuple<std::int64_t, std::int64_t, int, const std::string&>(
        m.configuration.integer("num_workers").value_or(0), m.planned_memory_bytes, m.batch_size, m.key);
  };
  return order(a) < order(b);
}

const Measured* Measurements::find(const std::string& key) const {
  for (const Measured& m : all)
    if (m.key == key) return &m;
  return nullptr;
}

bool Measurements::given_up(const std::string& key) const {
  const auto found = failures.find(key);
  if (found == failures.end()) return false;
  const Measured* m = find(key);
  const int settled = m == nullptr ? 0 : static_cast<int>(m->trials.size());
  return found->second.hard > 0 || (found->second.unsettled >= 3 && found->second.unsettled >= settled);
}

double Measurements::estimate(const Measured& m) const {
  return m.confirmed() ? fit.level.at(m.key) : mean(m.explore_log);
}

Measurements gather(const Run& run) {
  Measurements result;
  std::map<std::string, Measured> by_key;
  std::map<std::string, std::map<int, std::vector<double>>> blocks_by_key;
  std::set<int> blocks;
  const DriftCorrection drift(run);
  for (const TrialResult& t : run.trials) {
    if (!is_of_the_search(t)) continue;
    const std::string key = t.configuration.key();
    if (!worked(t)) {
      const bool unsettled = t.status == TrialStatus::too_short || t.status == TrialStatus::no_steady_state;
      (unsettled ? result.failures[key].unsettled : result.failures[key].hard) += 1;
      continue;
    }
    Measured& m = by_key[key];
    if (m.key.empty()) {
      m.configuration = t.configuration;
      m.key = key;
      m.batch_size = static_cast<int>(t.configuration.integer("batch_size").value_or(0));
    }
    add_trial(m, t, drift, blocks_by_key[key]);
    if (t.stage == "confirm") blocks.insert(t.block);
  }
  for (auto& [key, m] : by_key)
    for (const auto& [block, values] : blocks_by_key[key]) m.confirm_log[block] = mean(values);
  for (const TrialResult& t : run.trials) {
    if (!is_of_the_search(t) || !worked(t)) continue;
    Measured& m = by_key[t.configuration.key()];
    if (m.confirmed() == (t.stage == "confirm")) m.trials.push_back(&t);
  }
  for (auto& [key, m] : by_key) {
    add_memory(m, run);
    result.all.push_back(std::move(m));
  }
  for (Measured& m : result.all) m.failed = result.given_up(m.key);
  std::sort(result.all.begin(), result.all.end(), cheaper);
  result.blocks = static_cast<int>(blocks.size());
  result.fit = fit_blocks(result.all);
  add_noise(result);
  return result;
}

}  // namespace feedtune
