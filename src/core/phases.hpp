#pragma once
// Phase times of the training loop and of the workers, summarised. Overlapping phases are never added up.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace feedtune {

/// One phase over the measured steps, in milliseconds. `histogram` holds (bucket, count): bucket k counts durations
/// from 2^(k/8) to 2^((k+1)/8) microseconds (k = 0 also takes what is shorter).
struct PhaseSummary {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
  std::int64_t count = 0;
  std::vector<std::pair<int, std::int64_t>> histogram;
};

/// Names of the training thread's phases, in the order in which output shows them.
///   data_wait     training thread blocked on the loader; with 0 workers the load itself
///   pin           the pin thread's (or with 0 workers the training thread's) copy of a batch into pinned memory
///   h2d_host      host time inside the copy call;  h2d: device time of the copy;  h2d_exposed: the part of it
///                 that no compute hid
///   forward, backward (with the loss), update: device time
///   step          wall time between the ends of consecutive steps
///   device_idle   gaps in which the device had nothing to do, before h2d counted as waiting for data
///   host_late     virtual device: how much later than the modelled time the host woke up
inline constexpr const char* phase_names[] = {"data_wait", "pin",      "h2d_host", "h2d",         "h2d_exposed", "forward",
                                              "backward",  "update",   "step",     "device_idle", "host_late"};

/// Names of the workers' phases (wall time per image; decode_cpu is thread CPU time per image).
///   blocked: waiting for a free batch slot (a full queue);  starved: waiting for work
inline constexpr const char* worker_phase_names[] = {"open",      "read",    "decode",  "decode_cpu",
                                                     "transform", "collate", "blocked", "starved"};

using PhaseSummaries = std::map<std::string, PhaseSummary>;

}  // namespace feedtune
