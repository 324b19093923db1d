#pragma once
// A GPU that isn't there, as numbers. Read from configs/devices/*.json; consumed by device/virtual.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/enums.hpp"
#include "core/line.hpp"

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

/// Shares of one precision.
struct EfficiencyCurve {
  std::vector<EfficiencyPoint> points;
  Provenance provenance;  ///< low and high bound the largest share
};

enum class HostWait { spin, block };

/// One point that no fit has seen, to judge the fit by.
struct HoldOut {
  double at = 0;        ///< batch size or bytes
  double measured = 0;  ///< ms of a step, us of a copy
  double low = 0;       ///< 95 % interval of it
  double high = 0;
  double line_misfit = 0;  ///< (line - measured) / measured
  double misfit = 0;       ///< the same of what the profile uses there: the line, or the interpolation
};

/// Device time of one training step of `batch_size` images, in its parts.
struct StepPoint {
  int batch_size = 0;
  double forward_ms = 0;
  double backward_ms = 0;  ///< with the loss
  double update_ms = 0;
  double low_ms = 0;  ///< 95 % interval of the sum
  double high_ms = 0;
  std::int64_t device_bytes = 0;  ///< peak

  double step_ms() const { return forward_ms + backward_ms + update_ms; }
};

/// The step of one model, measured (device/step_curve.hpp reads it at any batch size).
struct StepCurve {
  std::string model;
  Precision precision = Precision::fp32;
  int image_size = 0;
  std::vector<StepPoint> points;  ///< at least 2, by batch size
  Line forward, backward, update;  ///< ms, ms an image: fitted to `points`
  bool interpolated = false;       ///< the lines miss the hold-out: between the points the points themselves are used
  std::optional<HoldOut> hold_out;  ///< of the whole step; absent: it could not be measured
  Figure host_ms;                  ///< host time to submit one step
  Line memory;                     ///< peak bytes, bytes an image
  double memory_misfit = 0;        ///< the planner's largest relative distance from a measured peak
  Provenance provenance;           ///< low and high bound the step at the largest batch size, ms
};

struct CopyPoint {
  double bytes = 0;
  double us = 0;      ///< median of the rounds
  double low_us = 0;  ///< the quickest and the slowest round
  double high_us = 0;
};

/// Copies to the device, measured: what pinned_h2d_gb_s or pageable_h2d_gb_s was fitted to.
struct CopyCurve {
  HostMemory host_memory = HostMemory::pageable;
  std::vector<CopyPoint> points;
  double latency_us = 0;
  double gb_s = 0;
  std::optional<HoldOut> hold_out;
};

struct DeviceProfile {
  std::string name;   ///< "rtx-4090"
  std::string title;  ///< "NVIDIA GeForce RTX 4090"
  std::vector<std::string> driver_names = {};  ///< what the driver calls this GPU, where that is not `title`
  std::map<std::string, Figure> peak_tflops;  ///< by precision name: dense, with fp32 accumulation
  std::vector<EfficiencyPoint> gemm_efficiency;
  Provenance gemm_efficiency_provenance;
  std::map<std::string, EfficiencyCurve> gemm_efficiency_by_precision = {};  ///< in the place of gemm_efficiency, where a precision has its own
  Figure memory_gb;              ///< 1e9 bytes, usable by a program
  Figure memory_bandwidth_gb_s;  ///< 1e9 bytes/s, reached by streaming kernels
  std::optional<Figure> pinned_h2d_gb_s;  ///< absent: pinned memory was refused where it was measured, and such copies are unsupported
  Figure pageable_h2d_gb_s;      ///< what the link gives a staged copy; the host's own memcpy may be slower
  Figure copy_latency_us;
  Figure launch_us;              ///< host time to submit one kernel or copy
  Figure kernel_gap_us;          ///< device time between two kernels of one stream
  HostWait host_wait = HostWait::spin;
  std::vector<StepCurve> steps;   ///< measured steps: they replace the computed one. None in a profile that nobody calibrated
  std::vector<CopyCurve> copies;
  std::optional<std::string> fake;  ///< title of the test device that was measured in a GPU's place
};

}  // namespace feedtune
