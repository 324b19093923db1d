#include "trial/step_log.hpp"

#include <algorithm>

namespace feedtune {

StepPhases phases_of(const StepTimes& step, Nanoseconds previous_end) {
  StepPhases phases;
  phases.step = step.end - previous_end;
  phases.h2d = step.copy_end - step.copy_begin;
  phases.forward = step.forward_end - step.begin;
  phases.backward = step.backward_end - step.forward_end;
  phases.update = step.end - step.backward_end;
  const Nanoseconds gap = std::max(Nanoseconds{0}, step.begin - previous_end);
  const Nanoseconds copied_in_gap = std::min(step.begin, step.copy_end) - std::max(previous_end, step.copy_begin);
  phases.h2d_exposed = std::clamp(copied_in_gap, Nanoseconds{0}, gap);
  phases.device_idle = gap - phases.h2d_exposed;
  phases.busy = phases.step - phases.device_idle;
  return phases;
}

StepEvents::StepEvents(Device& device)
    : copy_begin(device.create_event()),
      copy_end(device.create_event()),
      begin(device.create_event()),
      forward_end(device.create_event()),
      backward_end(device.create_event()),
      end(device.create_event()) {}

}  // namespace feedtune
