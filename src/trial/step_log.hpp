#pragma once
// Times of the last steps, turned into phases. Device times come from events that are read when their slot of the
// ring comes round again, so that measuring adds no synchronisation.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "measure/clock.hpp"

namespace feedtune {

/// One step's times. Device times are on the device's timeline, host times durations of the training thread.
struct StepTimes {
  Nanoseconds data_wait{0};
  Nanoseconds pin{0};
  Nanoseconds h2d_host{0};
  Nanoseconds host_late{0};
  Nanoseconds copy_begin{0}, copy_end{0};  ///< equal where nothing is copied
  Nanoseconds begin{0}, forward_end{0}, backward_end{0}, end{0};
  int images = 0;
  bool crosses_epoch = false;
};

/// What a step took, against the end of the step before.
struct StepPhases {
  Nanoseconds step{0}, h2d{0}, h2d_exposed{0}, forward{0}, backward{0}, update{0}, device_idle{0}, busy{0};
};

/// step = end - previous end. The gap before `begin` is split: what the copy fills of it is h2d_exposed, the rest
/// device_idle. busy = step - device_idle.
StepPhases phases_of(const StepTimes& step, Nanoseconds previous_end);

/// The events of one step in flight.
struct StepEvents {
  explicit StepEvents(Device& device);
  std::unique_ptr<Event> copy_begin, copy_end, begin, forward_end, backward_end, end;
};

}  // namespace feedtune
