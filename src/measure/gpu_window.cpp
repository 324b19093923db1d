#include "measure/gpu_window.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "measure/oscillation.hpp"

namespace feedtune {
namespace {

constexpr std::chrono::milliseconds sample_period{100};
// The driver's counter covers 1/6 s to 1 s: slower steps show in it one by one.
constexpr double slowest_step_s = 0.2;

template <class T>
std::optional<double> mean(const std::vector<GpuSample>& samples, std::optional<T> GpuSample::*field) {
  double sum = 0;
  int count = 0;
  for (const GpuSample& sample : samples)
    if (sample.*field) {
      sum += static_cast<double>(*(sample.*field));
      ++count;
    }
  if (count == 0) return std::nullopt;
  return sum / count;
}

template <class T>
std::optional<T> highest(const std::vector<GpuSample>& samples, std::optional<T> GpuSample::*field) {
  std::optional<T> most;
  for (const GpuSample& sample : samples)
    if (sample.*field && (!most || *(sample.*field) > *most)) most = sample.*field;
  return most;
}

UseSeries utilization_of(const std::vector<GpuSample>& samples) {
  std::vector<double> at_s, share;
  for (const GpuSample& sample : samples)
    if (sample.utilization) {
      at_s.push_back(sample.at_s);
      share.push_back(*sample.utilization);
    }
  return use_of_samples(at_s, share);
}

}  // namespace

GpuUse gpu_use_of(const std::vector<GpuSample>& samples, double step_s, const GpuLimits& limits,
                  std::map<std::string, std::string>& unknown) {
  GpuUse use;
  use.utilization = mean(samples, &GpuSample::utilization);
  const UseSeries series = utilization_of(samples);
  const bool slow_steps = step_s > slowest_step_s;
  if (!slow_steps) use.oscillation = find_oscillation(series, step_s);
  use.sm_mhz = mean(samples, &GpuSample::sm_mhz);
  use.memory_mhz = mean(samples, &GpuSample::memory_mhz);
  use.temperature_c = highest(samples, &GpuSample::temperature_c);
  use.power_w = mean(samples, &GpuSample::power_w);
  use.memory_used_bytes = highest(samples, &GpuSample::memory_used_bytes);
  use.pcie_generation = highest(samples, &GpuSample::pcie_generation);
  use.pcie_width = highest(samples, &GpuSample::pcie_width);
  use.pcie_generation_max = limits.pcie_generation_max;
  use.pcie_width_max = limits.pcie_width_max;
  use.mig = limits.mig;
  int told = 0;
  for (const GpuSample& sample : samples) {
    if (!sample.throttled_by) continue;
    ++told;
    for (const std::string& reason : *sample.throttled_by) use.throttled[reason] += 1;
  }
  for (auto& [reason, share] : use.throttled) share /= told;

  std::map<std::string, std::string> reasons = limits.unknown;
  for (const GpuSample& sample : samples)
    for (const auto& [field, reason] : sample.unknown) reasons[field] = reason;
  if (use.utilization && slow_steps)
    reasons["oscillation"] = fmt::format("steps of {:.2g} s are as slow as the counter: what it shows is each step's own wait", step_s);
  else if (use.utilization)
    reasons["oscillation"] = fmt::format("{} samples; {} are needed, about {:.1f} s", series.share.size(), least_bins,
                                         to_s(sample_period) * static_cast<double>(least_bins));
  else if (const auto reason = reasons.find("utilization"); reason != reasons.end())
    reasons["oscillation"] = reason->second;
  const auto explain = [&](const char* field, bool known) {
    if (known) return;
    const auto reason = reasons.find(field);
    unknown["gpu." + std::string(field)] = reason != reasons.end() ? reason->second : "no sample was taken";
  };
  explain("utilization", use.utilization.has_value());
  explain("oscillation", series.share.size() >= least_bins && !slow_steps);
  explain("sm_mhz", use.sm_mhz.has_value());
  explain("memory_mhz", use.memory_mhz.has_value());
  explain("temperature_c", use.temperature_c.has_value());
  explain("power_w", use.power_w.has_value());
  explain("memory_used_bytes", use.memory_used_bytes.has_value());
  explain("pcie_generation", use.pcie_generation.has_value());
  explain("pcie_width", use.pcie_width.has_value());
  explain("pcie_generation_max", use.pcie_generation_max.has_value());
  explain("pcie_width_max", use.pcie_width_max.has_value());
  explain("mig", use.mig.has_value());
  explain("throttled", told > 0);
  return use;
}

void GpuWindow::start() {
  sampler_.reset();
  samples_.clear();
  started_ = std::chrono::steady_clock::now();
  sampler_ = std::make_unique<BackgroundSampler>(
      [this] {
        GpuSample sample = sample_();
        sample.at_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
        const std::lock_guard lock(mutex_);
        samples_.push_back(std::move(sample));
      },
      sample_period);
}

GpuUse GpuWindow::stop(double step_s, const GpuLimits& limits, std::map<std::string, std::string>& unknown) {
  sampler_.reset();
  return gpu_use_of(samples_, step_s, limits, unknown);
}

}  // namespace feedtune
