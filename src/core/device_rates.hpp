#pragma once
// What a device does when it is asked directly, outside any trial: raw times, nothing fitted. Travels from the child that
// measures to `feedtune calibrate`.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/enums.hpp"
#include "core/facts.hpp"

namespace feedtune {

/// One model step, by what it is built from.
struct StepShape {
  std::string model;
  Precision precision = Precision::fp32;
  int image_size = 224;
  int batch_size = 1;
};

struct RatesRequest {
  std::string device = "cuda";
  double seconds = 10;              ///< about so long; what is slow is measured less often, and at fewer sizes
  std::vector<StepShape> steps;     ///< whose submission is to be timed
};

/// Repeated times of one size: of a copy (bytes) or of a GEMM (FLOPs).
struct SizeTimes {
  double size = 0;
  std::vector<double> us;
};

struct DeviceRates {
  DeviceFacts facts;
  std::int64_t memory_bytes = 0;             ///< what a program can take, with the device's own scratch memory gone
  std::vector<double> streaming_gb_s;        ///< 1e9 bytes/s of a kernel that only reads and writes
  std::vector<double> launch_us;             ///< host time of one submission
  std::vector<double> kernel_gap_us;         ///< device time of a kernel that does next to nothing
  std::vector<double> wait_cpu_share;        ///< CPU time / wall time of a host that waits for an event
  std::map<std::string, std::vector<SizeTimes>> gemms;   ///< by precision
  std::map<std::string, std::vector<SizeTimes>> copies;  ///< by host memory; to the device
  std::vector<std::vector<double>> submit_ms;  ///< of each asked step; empty where it could not be built
  std::vector<std::string> notes;              ///< what was left out, and why
};

}  // namespace feedtune
