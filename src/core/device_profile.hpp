#pragma once
// A GPU that isn't there, as numbers. Read from configs/devices/*.json; consumed by device/virtual.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace feedtune {

/// Where a figure comes from, and between which bounds it is believed.
struct Provenance {
  enum class Kind { measured, datasheet, estimate };
  Kind kind = Kind::estimate;
  std::string source;  ///< document, table or command
  double low = 0;
  double high = 0;
};

struct Figure {
  double value = 0;
  Provenance provenance;
};

/// Share of the peak that a GEMM of that many FLOPs reaches; interpolated in log(FLOPs), clamped at both ends.
struct EfficiencyPoint {
  double flops = 0;
  double share = 0;
};

enum class HostWait { spin, block };

struct DeviceProfile {
  std::string name;   ///< "rtx-4090"
  std::string title;  ///< "NVIDIA GeForce RTX 4090"
  std::vector<std::string> driver_names = {};  ///< what the driver calls this GPU, where that is not `title`
  std::map<std::string, Figure> peak_tflops;  ///< by precision name: dense, with fp32 accumulation
  std::vector<EfficiencyPoint> gemm_efficiency;
  Provenance gemm_efficiency_provenance;
  Figure memory_gb;              ///< 1e9 bytes, usable by a program
  Figure memory_bandwidth_gb_s;  ///< 1e9 bytes/s, reached by streaming kernels
  Figure pinned_h2d_gb_s;
  Figure pageable_h2d_gb_s;      ///< what the link gives a staged copy; the host's own memcpy may be slower
  Figure copy_latency_us;
  Figure launch_us;              ///< host time to submit one kernel or copy
  Figure kernel_gap_us;          ///< device time between two kernels of one stream
  HostWait host_wait = HostWait::spin;
};

}  // namespace feedtune
