#pragma once
// What the GPU's own counters say: at one moment, and over a measured window. A value that could not be read is absent; `unknown`
// (by GpuUse's field names) says why.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/oscillation.hpp"

namespace feedtune {

struct GpuSample {
  double at_s = 0;  ///< since the window began
  std::optional<double> utilization;  ///< 0 to 1: share of the driver's last period in which a kernel ran
  std::optional<double> sm_mhz;
  std::optional<double> memory_mhz;
  std::optional<double> temperature_c;
  std::optional<double> power_w;
  std::optional<std::int64_t> memory_used_bytes;  ///< by all processes
  std::optional<std::int64_t> pcie_generation;
  std::optional<std::int64_t> pcie_width;  ///< lanes
  std::optional<std::vector<std::string>> throttled_by;  ///< reasons at this moment, NVML's names; none: full clocks
  std::map<std::string, std::string> unknown;
};

/// What doesn't change while a trial runs.
struct GpuLimits {
  std::optional<std::int64_t> pcie_generation_max;
  std::optional<std::int64_t> pcie_width_max;
  std::optional<bool> mig;  ///< the GPU is split (multi-instance): utilization is then absent
  std::map<std::string, std::string> unknown;
};

/// Means over the window, unless said otherwise.
struct GpuUse {
  std::optional<double> utilization;
  std::optional<Oscillation> oscillation;         ///< of utilization; absent too where none was found
  std::optional<double> sm_mhz;
  std::optional<double> memory_mhz;
  std::optional<double> temperature_c;            ///< the highest
  std::optional<double> power_w;
  std::optional<std::int64_t> memory_used_bytes;  ///< the highest
  std::optional<std::int64_t> pcie_generation;    ///< the highest: links rest at a lower one
  std::optional<std::int64_t> pcie_width;         ///< the highest
  std::optional<std::int64_t> pcie_generation_max;
  std::optional<std::int64_t> pcie_width_max;
  std::optional<bool> mig;
  std::map<std::string, double> throttled;        ///< reason -> share of the samples
};

}  // namespace feedtune
