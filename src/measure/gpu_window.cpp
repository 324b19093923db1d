#include "measure/gpu_window.hpp"

#include <algorithm>

namespace feedtune {
namespace {

constexpr std::chrono::milliseconds sample_period{100};

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

}  // namespace

GpuUse gpu_use_of(const std::vector<GpuSample>& samples, const GpuLimits& limits, std::map<std::string, std::string>& unknown) {
  GpuUse use;
  use.utilization = mean(samples, &GpuSample::utilization);
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
  const auto explain = [&](const char* field, bool known) {
    if (known) return;
    const auto reason = reasons.find(field);
    unknown["gpu." + std::string(field)] = reason != reasons.end() ? reason->second : "no sample was taken";
  };
  explain("utilization", use.utilization.has_value());
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
  sampler_ = std::make_unique<BackgroundSampler>(
      [this] {
        GpuSample sample = sample_();
        const std::lock_guard lock(mutex_);
        samples_.push_back(std::move(sample));
      },
      sample_period);
}

GpuUse GpuWindow::stop(const GpuLimits& limits, std::map<std::string, std::string>& unknown) {
  sampler_.reset();
  return gpu_use_of(samples_, limits, unknown);
}

}  // namespace feedtune
