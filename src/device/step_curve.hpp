#pragma once
// A measured step, read at any batch size.

#include "core/trial_setup.hpp"
#include "measure/clock.hpp"

namespace feedtune {

struct StepParts {
  Nanoseconds forward{0}, backward{0}, update{0};
  Nanoseconds total() const { return forward + backward + update; }
};

/// On the curve's lines. Where it is interpolated: between its points affine, beyond them with the lines' slopes from the
/// nearest point on, and never less than in proportion to the first.
StepParts step_parts_at(const StepCurve& curve, int batch_size);

/// The same for what `setup` trains: curves are measured with uint8 input, and reading a larger one at the profile's memory bandwidth
/// takes so much longer in forward (configs/devices/README.md).
StepParts step_parts_of(const TrialSetup& setup, const StepCurve& curve);

/// The curve of what `setup` trains, in its device's profile, whatever its input_type; null where it was not measured there.
const StepCurve* measured_step(const TrialSetup& setup);

}  // namespace feedtune
