#pragma once
// What scripts/gpu_check.sh found out about a GPU: its parts, each with its status, and their figures. A figure that was not had is
// absent; its part, or `unknown`, says why.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.hpp"
#include "core/enums.hpp"
#include "core/facts.hpp"
#include "core/gpu_use.hpp"
#include "core/interval.hpp"

namespace feedtune {

enum class PartStatus { ok, failed, timeout, skipped };
template <>
std::span<const std::pair<PartStatus, std::string_view>> enum_names();

struct CheckPart {
  std::string name;
  PartStatus status = PartStatus::ok;
  std::string reason;  ///< with any status but ok
  double seconds = 0;
  double limit_s = 0;  ///< after which it was ended
};

struct TestCounts {
  std::int64_t passed = 0;
  std::vector<std::string> failed;
  std::vector<std::string> skipped;
};

/// |gradient - the cpu device's fp32 gradient| / |the latter|, over all parameters of one step.
struct GradientError {
  std::string precision;
  double relative_error = 0;
  double tolerance = 0;
};

struct CopyRate {
  std::string host_memory;  ///< pageable, pinned
  std::int64_t bytes = 0;
  std::optional<double> gb_per_s;         ///< 1e9 bytes/s, by the device's events
  std::optional<double> nvidia_gb_per_s;  ///< of NVIDIA's own tool for that size and memory
};

struct GemmRate {
  std::string precision;
  std::optional<double> tflops;
  std::optional<double> peak_tflops;
  std::optional<double> share_of_peak;
};

/// Device memory of a training step at two batch sizes: our own sums, and what the driver says is gone.
struct MemoryLaw {
  double bytes_at_128 = 0;
  double bytes_at_256 = 0;
  double ratio = 0;
  std::optional<double> driver_bytes_at_128;
  std::optional<double> driver_bytes_at_256;
};

struct ShortSweep {
  std::int64_t trials = 0;
  std::int64_t trials_ok = 0;
  std::optional<Configuration> recommended;
  std::optional<Interval> images_per_s;  ///< of the recommended
  std::string bound_by;
  std::optional<GpuUse> gpu;             ///< in a trial of the recommended; the PCIe link as it was in the trial that used most of it
};

struct GpuCheck {
  ToolFacts tool;
  MachineFacts machine;
  DeviceFacts device;
  std::string started;  ///< UTC, ISO 8601; empty: not known
  std::vector<CheckPart> parts;
  std::vector<std::map<std::string, std::string>> nvidia_smi;  ///< one a GPU: field -> value, both in nvidia-smi's words; "tested": yes, no or unknown
  std::optional<TestCounts> tests;
  std::optional<TestCounts> memcheck;
  std::vector<GradientError> gradients;
  std::vector<CopyRate> copies;
  std::vector<GemmRate> gemm;
  std::optional<MemoryLaw> memory_law;
  std::optional<ShortSweep> sweep;
  std::map<std::string, std::string> unknown;  ///< field, as in "gemm.fp16.share_of_peak" -> why it is absent
};

}  // namespace feedtune
