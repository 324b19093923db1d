#include "replay/synthetic_noise.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "replay/seeded_draw.hpp"

namespace feedtune {
namespace {

constexpr double drift_step_s = 4, early_s = 30, warm_up_s = 120;
constexpr double least_spike = 0.05, largest_spike = 0.3;

/// Lognormal of mean 1 and this coefficient of variation, from a standard normal.
double lognormal(double cv, double normal) {
  const double variance = std::log1p(cv * cv);
  return std::exp(std::sqrt(variance) * normal - variance / 2);
}

/// The process at one step, as a sum over what happened before it: nothing has to be kept.
double wandering(std::uint64_t seed, double memory, std::int64_t step) {
  const int terms = memory > 0 ? static_cast<int>(std::ceil(std::log(1e-3) / std::log(memory))) : 1;
  double value = 0, weight = std::sqrt(1 - memory * memory);
  for (int i = 0; i < terms; ++i, weight *= memory)
    value += weight * SeededDraw(seed ^ stream_of("drift"), static_cast<std::uint64_t>(step - i + 1'000'000)).normal();
  return value;
}

SyntheticNoise levels(double cv, double drift, double spikes) {
  SyntheticNoise noise;
  noise.cv = cv;
  noise.drift = drift;
  noise.spikes = spikes;
  return noise;
}

std::vector<std::pair<std::string, SyntheticNoise>> named() {
  std::vector<std::pair<std::string, SyntheticNoise>> all = {{"quiet", levels(0.01, 0.01, 0)}, {"usual", levels(0.02, 0.03, 0.03)}, {"loud", levels(0.05, 0.05, 0.03)}};
  const auto add = [&all](const char* name, const auto& change) {
    SyntheticNoise noise = levels(0.02, 0, 0);
    change(noise);
    all.emplace_back(name, noise);
  };
  add("white", [](SyntheticNoise&) {});
  add("linear", [](SyntheticNoise& noise) { noise.slope_per_hour = -0.5; });
  add("step", [](SyntheticNoise& noise) { noise.shift = -0.1; });
  add("bimodal", [](SyntheticNoise& noise) { noise.two_levels = 0.04; });
  add("first_slow", [](SyntheticNoise& noise) { noise.first_trials = 0.88; });
  add("first_fast", [](SyntheticNoise& noise) { noise.first_trials = 1.14; });
  add("warm_up", [](SyntheticNoise& noise) { noise.warm_up = 0.15; });
  add("sawtooth", [](SyntheticNoise& noise) { noise.unsteady = 0.15; });
  return all;
}

}  // namespace

double SyntheticNoise::factor(std::uint64_t seed, std::int64_t trial, double now_s) const {
  SeededDraw draw(seed ^ stream_of("trial"), static_cast<std::uint64_t>(trial));
  double factor = lognormal(cv, draw.normal());
  const bool spike = draw.chance(spikes);
  const double loss = draw.uniform(least_spike, largest_spike);
  factor *= (spike ? 1 - loss : 1) / (1 - spikes * (least_spike + largest_spike) / 2);
  factor *= draw.chance(0.5) ? 1 + two_levels : 1 - two_levels;
  if (drift > 0) factor *= lognormal(drift, wandering(seed, drift_memory, static_cast<std::int64_t>(now_s / drift_step_s)));
  factor *= std::max(0.1, 1 + slope_per_hour * now_s / 3600);
  if (now_s >= shift_at_s) factor *= 1 + shift;
  if (now_s < early_s) factor *= first_trials;
  return factor * (1 - warm_up * std::exp(-now_s / warm_up_s));
}

bool SyntheticNoise::never_settles(std::uint64_t seed, std::int64_t trial) const {
  return SeededDraw(seed ^ stream_of("sawtooth"), static_cast<std::uint64_t>(trial)).chance(unsteady);
}

std::vector<std::string> synthetic_noise_names() {
  std::vector<std::string> names;
  for (const auto& [name, noise] : named()) names.push_back(name);
  return names;
}

SyntheticNoise synthetic_noise_named(const std::string& name) {
  for (const auto& [known, noise] : named())
    if (known == name) return noise;
  throw SpecError("noise", "unknown noise \"" + name + "\"; known: " + joined(synthetic_noise_names()));
}

}  // namespace feedtune
