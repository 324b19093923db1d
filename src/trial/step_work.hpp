#pragma once
// One training step's device work, in parts with events between them: the model's, or the user's own step time.

#include <memory>

#include "core/trial_setup.hpp"
#include "device/device.hpp"

namespace feedtune {

class StepWork {
 public:
  virtual ~StepWork() = default;
  /// False for a user's step time: only its total is known, so forward, backward and update are not told apart.
  virtual bool has_parts() const = 0;
  virtual void forward(Stream& stream, const Tensor& input) = 0;
  virtual void backward(Stream& stream, const std::byte* labels) = 0;
  virtual void update(Stream& stream) = 0;
};

/// The model of `setup.step`, as it was measured where a virtual device's profile has that step; or its step times. Allocates on `device`; throws OutOfMemory, or TrialFailure
/// {unsupported} for a precision the device lacks or step times on a device that isn't virtual.
std::unique_ptr<StepWork> make_step_work(Device& device, const TrialSetup& setup);

/// No device work at all: for trials that measure the loader or the copy alone.
std::unique_ptr<StepWork> make_no_work();

}  // namespace feedtune
