#pragma once
// A profile with everything that `feedtune calibrate` writes, in round figures.

#include "core/device_profile.hpp"

namespace feedtune::testing {

inline Figure one_figure(double value) { return {.value = value, .provenance = {.kind = Provenance::Kind::measured, .source = "a test", .low = value / 2, .high = value * 2}}; }

inline DeviceProfile calibrated_profile() {
  DeviceProfile profile;
  profile.name = "mine";
  profile.title = "Mine";
  profile.driver_names = {"NVIDIA Mine"};
  profile.peak_tflops["fp32"] = one_figure(10);
  profile.gemm_efficiency = {{.flops = 1e6, .share = 0.5}};
  profile.gemm_efficiency_provenance = one_figure(0.5).provenance;
  profile.gemm_efficiency_by_precision["fp32"] = {.points = {{.flops = 1e6, .share = 0.25}}, .provenance = one_figure(0.25).provenance};
  for (Figure* figure : {&profile.memory_gb, &profile.memory_bandwidth_gb_s, &profile.pinned_h2d_gb_s.emplace(), &profile.pageable_h2d_gb_s,
                         &profile.copy_latency_us, &profile.launch_us, &profile.kernel_gap_us})
    *figure = one_figure(5);
  StepCurve step;
  step.model = "mixer-pico";
  step.image_size = 32;
  step.points = {{.batch_size = 4, .forward_ms = 1, .backward_ms = 2, .update_ms = 0.5, .low_ms = 3.4, .high_ms = 3.6, .device_bytes = 1000},
                 {.batch_size = 8, .forward_ms = 2, .backward_ms = 4, .update_ms = 0.5, .low_ms = 6.4, .high_ms = 6.6, .device_bytes = 1800}};
  step.forward = {0, 0.25};
  step.backward = {0, 0.5};
  step.update = {0.5, 0};
  step.hold_out = HoldOut{.at = 6, .measured = 5, .low = 4.9, .high = 5.1, .line_misfit = 0.01, .misfit = 0.01};
  step.host_ms = one_figure(0.1);
  step.memory = {200, 200};
  step.provenance = one_figure(6.5).provenance;
  profile.steps = {step};
  profile.copies = {{.host_memory = HostMemory::pinned, .points = {{.bytes = 65536, .us = 20, .low_us = 19, .high_us = 21}, {.bytes = 1048576, .us = 180, .low_us = 175, .high_us = 185}}, .latency_us = 10, .gb_s = 6, .hold_out = step.hold_out}};
  profile.fake = "fake";
  return profile;
}

}  // namespace feedtune::testing
