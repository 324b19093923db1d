#pragma once
// What a measured window costs the host.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/host_counters.hpp"
#include "core/trial.hpp"
#include "measure/background_sampler.hpp"
#include "measure/statistics.hpp"

namespace feedtune {

/// Difference of two readings. `unknown` gets the reason of each field that is absent. Threads that ended in between
/// take their last run delay with them.
HostUse host_use_between(const HostCounters& start, const HostCounters& end, std::map<std::string, std::string>& unknown);

/// Reads counters at the start and at the end of a window and samples in between, about 20 times a second at most.
class HostWindow {
 public:
  /// Both are called from this object's callers and its sampling thread; neither throws. For this process:
  /// ProcessReader of machine/.
  struct Source {
    std::function<HostCounters()> counters;
    std::function<HostSample()> sample;  ///< may be empty: nothing is sampled
  };
  explicit HostWindow(Source source) : source_(std::move(source)) {}

  /// Begins a window; a window that was open is given up.
  void start();
  /// Ends it. `images` > 0 gives cpu_s_per_image. Fields that no counter knows (bytes_read, cache_resident_share) are
  /// left to the caller. Call only after start().
  HostUse stop(std::int64_t images, std::map<std::string, std::string>& unknown);

 private:
  void take_sample();

  Source source_;
  HostCounters at_start_;
  std::mutex mutex_;  // guards the three below
  Moments runnable_;
  Moments mhz_;
  std::map<std::string, std::string> sample_unknown_;
  std::unique_ptr<BackgroundSampler> sampler_;
};

}  // namespace feedtune
