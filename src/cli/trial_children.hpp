#pragma once
#include <string>
#include <vector>

#include "trial/process_runner.hpp"

namespace feedtune {

/// NAME=VALUE that a child which computes is started with.
std::vector<std::string> child_environment();

/// Trials run in this program's own `__trial`, until a signal asks for a stop.
ProcessRunner::Options trial_children();

}  // namespace feedtune
