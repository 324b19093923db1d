#pragma once
#include "core/run.hpp"

namespace feedtune::testing {

/// A run in which every optional has a value and every list an item.
Run full_run();
/// A run that was interrupted before its first trial.
Run minimal_run();

}  // namespace feedtune::testing
