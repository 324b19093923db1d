#pragma once
#include <string>
#include <vector>

#include "calibrate/make_profile.hpp"

namespace feedtune {

/// The curves of the measured steps, each with its lines, its hold-out and its memory law.
std::vector<StepCurve> fit_steps(const ProfileInput& input, std::vector<std::string>& notes);

}  // namespace feedtune
