#pragma once
// How long a trial may take and will take. Used for deadlines (generous) and for the estimates of a dry run.

#include <cstdint>

#include "core/run.hpp"
#include "core/trial.hpp"
#include "space/axis.hpp"

namespace feedtune {

/// images_of_shortest_trial() of core/batch_slots.
std::int64_t images_needed(const LoaderSetup& loader);

/// Deadline of a trial, start-up included. Goes by the slowest component trials in `so_far`; where there are none yet,
/// by 10 images/s.
double time_limit_s(const TrialRequest& request, const Run& so_far);

/// Seconds a trial will take, before anything is known: 5 ms of one CPU to load an image (an ImageNet JPEG on a CPU of
/// 2020) and on the cpu device as much to step it; other devices not slower than the loader.
double estimated_s(const TrialRequest& request, const SpaceContext& context);

}  // namespace feedtune
