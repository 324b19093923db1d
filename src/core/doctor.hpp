#pragma once
// What `feedtune doctor` says about a machine that nothing was measured on.

#include <cstdint>
#include <string>
#include <vector>

#include "core/facts.hpp"

namespace feedtune {

enum class CheckStatus { ok, warn, bad, unknown };

/// The loader that needs are computed for: PyTorch's, whose workers are processes.
struct DoctorSetting {
  std::int64_t batch_size = 64;
  std::int64_t num_workers = 1;
  std::int64_t prefetch = 2;    ///< batches ahead per worker
  std::int64_t image_size = 224;
  std::int64_t bytes_per_value = 4;  ///< float32

  /// RGB, without labels.
  std::int64_t batch_bytes() const { return batch_size * 3 * image_size * image_size * bytes_per_value; }
  /// Finished batches that wait for the training loop at most.
  std::int64_t batches_ahead() const { return num_workers * prefetch; }
};

struct CheckFinding {
  std::string name;      ///< of the check: its file in src/analyze/checks
  CheckStatus status = CheckStatus::unknown;
  std::string evidence;  ///< with numbers; with `unknown` why it can't be said
  std::string advice;    ///< what to do; empty with ok, and where there is nothing
};

struct DoctorReport {
  ToolFacts tool;
  DoctorSetting setting;
  MachineFacts machine;
  DeviceProbe cuda;
  std::vector<CheckFinding> checks;  ///< every check, the worst first
};

}  // namespace feedtune
