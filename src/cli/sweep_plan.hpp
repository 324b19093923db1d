#pragma once
// From settings to a plan: the device, the data, the model and the machine are looked at, nothing is measured.

#include <functional>
#include <string>

#include "core/spec.hpp"
#include "sweep/sweep.hpp"

namespace feedtune {

/// `say` gets lines for stderr (why auto took the cpu, that images for the anchors are being made).
/// `out`: the run's folder, or the one that it is made in. Throws UsageError without data, DeviceUnavailableError,
/// InputError (also where `out` lies among the images), SpecError. The anchors' data are named, not made.
SweepPlan make_plan(const Spec& spec, const std::string& out, const std::function<void(const std::string&)>& say);

/// Makes the anchors' images in the user's cache folder, unless they are there. Its errors say how to do without.
void prepare_anchor_data(const SweepPlan& plan, const std::function<void(const std::string&)>& say);

}  // namespace feedtune
