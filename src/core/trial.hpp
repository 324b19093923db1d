#pragma once
// What is asked of a trial and what comes back. A value that could not be measured is absent; `unknown` names why.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.hpp"
#include "core/interval.hpp"
#include "core/gpu_use.hpp"
#include "core/oscillation.hpp"
#include "core/phases.hpp"
#include "core/trial_setup.hpp"
#include "core/trial_status.hpp"

namespace feedtune {

/// When a trial may stop. Times are of measured steps, after warm-up; start-up is not trial time.
struct TrialTarget {
  double min_time_s = 1;
  double max_time_s = 3;
  double relative_half_width = 0.02;  ///< stops early once the 95 % interval of throughput is this narrow
  CachePolicy cache = CachePolicy::warm;
};

/// Share of the data in the page cache from which on it counts as warm.
inline constexpr double warm_enough = 0.99;

struct TrialRequest {
  std::int64_t id = 0;  ///< position in the run's plan, from 1; unique in a run
  Configuration configuration;
  Purpose purpose = Purpose::trial;
  std::string stage = "explore";  ///< anchor, component, explore, confirm
  int block = 0;                  ///< trials of one block are compared within it
  TrialTarget target;
  double time_limit_s = 60;  ///< deadline of the child for this trial, start-up included
  std::int64_t asked_ns = 0;  ///< steady clock (one for all processes of a machine) when the runner took it on; 0: not said
  TrialSetup setup;          ///< `configuration` applied to the run's set-up; filled by the sweep
};

struct ImageCounts {
  std::int64_t decoded = 0;  ///< delivered with pixels, damaged ones included
  std::int64_t damaged = 0;  ///< decoded with a decoder's warning
  std::int64_t failed = 0;   ///< unreadable or undecodable: zeroed slot, not in images/s
};

/// A file that failed, was damaged, or was slow.
struct FileNote {
  std::string path;    ///< relative to the data folder
  std::string reason;  ///< "failed: empty file", "damaged: premature end of JPEG", "slow"
  double ms = 0;       ///< open + read + decode + transform

  bool failed() const { return reason.starts_with("failed"); }
  bool damaged() const { return reason.starts_with("damaged"); }
};

struct MemoryUse {
  std::optional<std::int64_t> resident_peak_bytes;
  std::optional<std::int64_t> batch_buffer_bytes;   ///< all batch slots
  std::optional<std::int64_t> pinned_bytes;         ///< handed out as pinned
  std::optional<std::int64_t> pinned_locked_bytes;  ///< of those, held by mlock or the driver
  std::optional<std::int64_t> device_peak_bytes;    ///< our own sum of what the trial allocated
  std::optional<std::int64_t> device_driver_bytes;  ///< in use at the trial's end by the driver's count: by all programs, contexts and libraries too
  std::optional<std::int64_t> device_limit_bytes;
};

/// Costs to the host from the moment the queue has filled to the end of the trial: the steps that are cut off as not
/// steady yet are in it, and in the workers' times and the GPU's counters, but not in images/s and the phases.
struct HostUse {
  std::optional<double> window_s;
  std::optional<double> cpu_user_s;
  std::optional<double> cpu_system_s;
  std::optional<double> cpu_s_per_image;
  std::optional<double> run_delay_s;  ///< runnable but not running, summed over threads
  std::optional<double> runnable_threads;  ///< mean of samples
  std::optional<std::int64_t> voluntary_switches;
  std::optional<std::int64_t> involuntary_switches;
  std::optional<std::int64_t> major_faults;
  std::optional<std::int64_t> bytes_read;           ///< from the files, page cache included
  std::optional<double> cache_resident_share;       ///< of the data, sampled before the trial
  std::optional<double> throttled_s;                ///< by the cgroup's CPU quota
  std::optional<double> cpu_mhz;                    ///< mean of samples
};

struct TrialResult {
  std::int64_t id = 0;
  Configuration configuration;
  Purpose purpose = Purpose::trial;
  std::string stage;
  int block = 0;

  TrialStatus status = TrialStatus::ok;
  std::optional<MemoryKind> memory_kind;  ///< with out_of_memory
  std::string reason;                     ///< with any status but ok
  std::string stop_reason;                ///< interval, time, deadline, error, data_changed (which ends the sweep)

  std::optional<Interval> images_per_s;  ///< n: batch means
  PhaseSummaries phases;                 ///< milliseconds per step
  std::map<std::string, double> worker_ms_per_image;
  std::optional<double> device_busy;  ///< share of the window in which the device computed or copied
  /// Of device_busy over the window, by the events. Absent and not in `unknown`: looked for and not found.
  std::optional<Oscillation> oscillation;
  ImageCounts images;
  std::vector<FileNote> files;  ///< failed and damaged (first 20), then the slowest 5
  MemoryUse memory;
  HostUse host;
  std::optional<GpuUse> gpu;  ///< where the device has counters of its own
  bool modelled = false;  ///< any device time in here is computed, not measured

  std::optional<double> first_batch_ms;
  std::optional<double> startup_s;  ///< from the start of the child, or of the trial in one that runs, to the first batch asked for
  std::optional<double> epoch_turn_ms;  ///< mean data_wait of the steps that cross an epoch, where the window has any
  std::int64_t warmup_steps = 0;
  std::int64_t measured_steps = 0;
  double measured_s = 0;
  double cost_s = 0;  ///< wall time that the trial took from the sweep
  int incarnation = 0;  ///< which child process of the sweep ran it
  int order = 0;        ///< running number of the trial in its run, in the order of measurement
  std::vector<std::int32_t> step_us;  ///< at most 2,000 contiguous steps
  std::map<std::string, std::string> unknown;  ///< field -> why it is absent
};

}  // namespace feedtune
