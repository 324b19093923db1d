#pragma once
// A user's own step, known at a few batch sizes ("85ms@64,150ms@128"; core/parse.hpp reads the notation). Only the
// total is known: forward, backward and update are never invented from it.

#include <span>

#include "core/trial_setup.hpp"
#include "measure/clock.hpp"

namespace feedtune {

/// Time of one step at `batch_size` (>= 1). `times` is not empty and sorted by batch size.
/// Between two points: affine. One point: proportional to the batch. Above the last: the line through the last two, but
/// never less than the last. Below the first: the line through the first two, but never less than in proportion to the
/// first (a line that meets zero before the batch does would give no time at all).
Nanoseconds step_time_at(std::span<const StepTime> times, int batch_size);

}  // namespace feedtune
