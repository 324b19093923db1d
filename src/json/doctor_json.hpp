#pragma once
#include <string>

#include "core/doctor.hpp"

namespace feedtune {

/// The whole document (results/schema/doctor-0.1.schema.json), indented, with a final newline.
std::string encode(const DoctorReport& report);

}  // namespace feedtune
