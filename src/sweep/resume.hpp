#pragma once
#include <string>

#include "core/run.hpp"

namespace feedtune {

/// Throws InputError(where, ...) that lists every difference when `asked` is not the sweep that `recorded` began: its
/// spec (but for where values came from and how the data folder was spelt), data, device, model and CPUs.
void check_resumable(const Run& recorded, const Run& asked, const std::string& where);

}  // namespace feedtune
