#pragma once
#include <vector>

#include "core/spec.hpp"
#include "core/trial.hpp"
#include "space/space.hpp"

namespace feedtune {

/// The trials that find what each part alone can give: every loader of the space at 1 worker and at one a CPU, the step
/// at each batch size and precision, the copy at each batch size, kind of host memory and type where the device copies.
/// Under a budget of seconds they take at most about a quarter of it: shorter, then at fewer batch sizes.
std::vector<TrialRequest> component_requests(const SearchSpace& space, const Spec& spec);

}  // namespace feedtune
