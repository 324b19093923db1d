#pragma once
#include "core/facts.hpp"

namespace feedtune {

/// Asks for the cuda device in a child process: a driver can hang, and this process stays free of CUDA. Asked once; later calls
/// return the same. Says so where CUDA_VISIBLE_DEVICES hides what there is.
const DeviceProbe& cuda_probe();

}  // namespace feedtune
