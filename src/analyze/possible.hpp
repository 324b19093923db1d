#pragma once
#include "core/run.hpp"

namespace feedtune {

/// `run` without the figures that no measurement gives (a file edited by hand): times, counts and shares that are negative,
/// not finite or beyond 1e12 are absent, or 0 where they can't be. What is calculated from the rest stays finite.
Run with_possible_figures(const Run& run);

}  // namespace feedtune
