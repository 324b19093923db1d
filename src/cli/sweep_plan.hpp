#pragma once
// From settings to a plan: the device, the data, the model and the machine are looked at, nothing is measured.

#include <functional>
#include <string>

#include "core/spec.hpp"
#include "sweep/sweep.hpp"

namespace feedtune {

/// `say` gets lines for stderr (why auto took the cpu, that sample data is being made).
/// Throws UsageError without data, DeviceUnavailableError, InputError, SpecError.
SweepPlan make_plan(const Spec& spec, const std::function<void(const std::string&)>& say);

}  // namespace feedtune
