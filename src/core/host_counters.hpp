#pragma once
// Cumulative counters of this process at one moment, and samples of what it is doing. Read by machine/, turned into a
// HostUse by measure/. A value that could not be read is absent; `unknown` (by HostUse's field names) says why.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace feedtune {

struct HostCounters {
  std::optional<double> cpu_user_s;
  std::optional<double> cpu_system_s;
  std::optional<std::int64_t> voluntary_switches;
  std::optional<std::int64_t> involuntary_switches;
  std::optional<std::int64_t> major_faults;
  std::optional<double> throttled_s;                 ///< of the cgroups that this process is in
  std::map<std::int64_t, double> run_delay_s;        ///< by thread number: runnable but not running; empty: unknown
  std::map<std::string, std::string> unknown;
};

struct HostSample {
  std::optional<double> runnable_threads;  ///< running or waiting for a CPU, the sampling thread excluded
  std::optional<double> cpu_mhz;           ///< mean over the CPUs looked at
  std::map<std::string, std::string> unknown;
};

}  // namespace feedtune
