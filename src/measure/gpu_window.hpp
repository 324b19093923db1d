#pragma once
// The GPU's own counters over a measured window.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/gpu_use.hpp"
#include "measure/background_sampler.hpp"

namespace feedtune {

/// Sums samples up. The reason why a field is absent is the last one that a sample gave. `step_s`: mean time from step to step, 0:
/// not known (find_oscillation()).
GpuUse gpu_use_of(const std::vector<GpuSample>& samples, double step_s, const GpuLimits& limits,
                  std::map<std::string, std::string>& unknown);

class GpuWindow {
 public:
  /// Called from a thread of its own, ten times a second or less often (BackgroundSampler); must not throw.
  explicit GpuWindow(std::function<GpuSample()> sample) : sample_(std::move(sample)) {}
  void start();
  /// `unknown` gets "gpu.<field>". Call only after start().
  GpuUse stop(double step_s, const GpuLimits& limits, std::map<std::string, std::string>& unknown);

 private:
  std::function<GpuSample()> sample_;
  std::chrono::steady_clock::time_point started_;
  std::mutex mutex_;
  std::vector<GpuSample> samples_;  // guarded by mutex_
  std::unique_ptr<BackgroundSampler> sampler_;
};

}  // namespace feedtune
