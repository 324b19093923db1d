#pragma once
#include <string>

#include "core/doctor.hpp"

namespace feedtune {

/// The machine in a line, the setting, then a check a paragraph with what to do, the worst first. Ends with a newline.
std::string doctor_text(const DoctorReport& report);

}  // namespace feedtune
