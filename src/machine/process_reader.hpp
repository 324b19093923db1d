#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/host_counters.hpp"
#include "machine/cgroup.hpp"
#include "machine/root.hpp"

namespace feedtune {

/// Reads what this process uses. Its sources (which control groups, which frequency files) are looked up once; reading
/// is safe from many threads and never throws for a file that isn't there.
class ProcessReader {
 public:
  struct Options {
    bool children = false;  ///< add what ended and reaped children used (CPU time, switches, faults)
  };
  ProcessReader() : ProcessReader(Root(), Options()) {}
  explicit ProcessReader(Root root) : ProcessReader(std::move(root), Options()) {}
  ProcessReader(Root root, Options options);

  /// CPU time, switches and faults by getrusage (all threads, ended ones too); run delay by /proc/self/task/*/schedstat
  /// (living threads); throttling by cpu.stat of this process's control group and its ancestors, added up.
  HostCounters counters() const;

  /// Threads in state R without the calling one, and the mean frequency of up to 16 CPUs. Costs about 10 us a thread.
  HostSample sample() const;

  /// VmHWM: the most physical memory this process has had since it started or since reset_resident_peak().
  std::optional<std::int64_t> resident_peak_bytes() const;
  /// Sets the peak back to what is resident now. False where the kernel doesn't allow it.
  bool reset_resident_peak() const;

 private:
  void add_usage(HostCounters& counters) const;
  void add_run_delay(HostCounters& counters) const;
  void add_throttling(HostCounters& counters) const;
  void add_frequency(HostSample& sample) const;

  Root root_;
  Options options_;
  std::vector<CgroupFolder> cpu_groups_;
  std::vector<std::string> frequency_files_;  ///< kHz; empty: /proc/cpuinfo is all there is
  std::string frequency_unknown_;             ///< why no frequency can be had, else empty
};

}  // namespace feedtune
