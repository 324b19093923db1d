#pragma once
// Why a run's trials are as slow as they are, by the rules of analyze/rules.

#include <cstdint>
#include <optional>

#include "core/explanation.hpp"
#include "core/run.hpp"

namespace feedtune {

/// Of one trial, by its id; without one of the run's current, recommended and baseline configurations, each by the trial
/// in the middle of its own (the confirmed ones, else the search's) by images/s. Where the run has no recommendation, of
/// its fastest trial. Throws InputError (`where`: the run's name) for an id that the run has not, with those that it has; for a
/// trial that gave no result, with its reason; and for a run in which no trial did.
Explanation explain(const Run& run, std::optional<std::int64_t> trial, const std::string& where);

}  // namespace feedtune
