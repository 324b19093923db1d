#pragma once
#include "measure/clock.hpp"

namespace feedtune {

/// CPU time of the calling thread. A system call: about 1 us.
Nanoseconds thread_cpu_time();

}  // namespace feedtune
